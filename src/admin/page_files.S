// The built page, byte for byte. The include path is the folder that ui/build.sh wrote.
.macro file name, path
  .global lmw_page_\name
  .global lmw_page_\name\()_end
lmw_page_\name:
  .incbin "\path"
lmw_page_\name\()_end:
.endm

  .section .rodata
  file index_html, "index.html"
  file app_js, "app.js"
  file app_css, "app.css"
  file icon_svg, "icon.svg"

  .section .note.GNU-stack, "", %progbits
