// Files for people to keep: text, and charts as one picture.
import { css } from "./chart_axes";

export function saveAs(name: string, content: Blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const margin = 20;
const line = 22;

// The charts of `box` one below the other, each under its title and over its legend.
export function savePng(name: string, title: string, box: HTMLElement) {
  const charts = [...box.querySelectorAll<HTMLElement>("figure.chart")];
  const canvases = charts.map((chart) => chart.querySelector("canvas")!);
  const ratio = devicePixelRatio;
  const width = Math.max(...canvases.map((canvas) => canvas.width / ratio));
  const height = canvases.reduce((sum, canvas) => sum + canvas.height / ratio + 3 * line, 0) + 2 * line;
  const picture = document.createElement("canvas");
  picture.width = (width + 2 * margin) * ratio;
  picture.height = (height + margin) * ratio;
  const pen = picture.getContext("2d")!;
  pen.scale(ratio, ratio);
  pen.fillStyle = css("--surface");
  pen.fillRect(0, 0, picture.width, picture.height);
  const write = (text: string, x: number, y: number, tone: string, weight = "") => {
    pen.font = `${weight} 13px system-ui, sans-serif`;
    pen.fillStyle = tone;
    pen.fillText(text, x, y);
    return pen.measureText(text).width;
  };
  let y = margin + line / 2;
  write(title, margin, y, css("--text"), "600");
  y += line;
  charts.forEach((chart, i) => {
    const canvas = canvases[i]!;
    write(chart.querySelector("figcaption")!.firstChild!.textContent!.trim(), margin, y, css("--quiet"));
    pen.drawImage(canvas, margin, y + 6, canvas.width / ratio, canvas.height / ratio);
    y += canvas.height / ratio + line;
    let x = margin + 56;
    for (const entry of chart.querySelectorAll<HTMLElement>(".u-legend .u-series:not(:first-child)")) {
      const marker = entry.querySelector<HTMLElement>(".u-marker")!;
      pen.fillStyle = getComputedStyle(marker).borderColor;
      pen.fillRect(x, y - 9, 10, 10);
      x += 16 + write(entry.querySelector(".u-label")!.textContent!, x + 16, y, css("--text")) + 18;
    }
    y += 2 * line;
  });
  picture.toBlob((blob) => blob && saveAs(name, blob), "image/png");
}
