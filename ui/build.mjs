// node build.mjs OUT [--watch]: bundles the page into OUT.
import { copyFileSync, mkdirSync } from "node:fs";
import { context } from "esbuild";

const [out, watch] = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const file of ["index.html", "icon.svg"]) copyFileSync(`src/${file}`, `${out}/${file}`);

const bundle = await context({
  entryPoints: [
    { in: "src/main.tsx", out: "app" },
    { in: "src/style.css", out: "app" },
  ],
  outdir: out,
  bundle: true,
  minify: true,
  target: "es2023",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
if (watch === "--watch") {
  await bundle.watch();
} else {
  await bundle.rebuild();
  await bundle.dispose();
}
