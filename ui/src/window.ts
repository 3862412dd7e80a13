// Of long lists only the rows near the screen are drawn; above and below them there is as much room as the others take.
import { useEffect, useRef, useState } from "preact/hooks";

const spare = 12; // rows beyond the screen, each way

export function useRowsOnScreen(count: number) {
  const box = useRef<HTMLDivElement>(null); // around the rows
  const height = useRef(36); // px of a row; all are equal
  const [first, setFirst] = useState(0);
  useEffect(() => {
    const look = () => {
      const row = box.current?.querySelector("tbody tr");
      if (!box.current || !row) return;
      height.current = row.getBoundingClientRect().height || height.current;
      const above = Math.floor(-box.current.getBoundingClientRect().top / height.current) - spare;
      setFirst(Math.max(0, above - (above % 10)));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, []);
  const rows = Math.ceil(innerHeight / height.current) + 2 * spare;
  const from = Math.max(0, Math.min(first, count - rows));
  const to = Math.min(count, from + rows);
  const style = { paddingTop: `${from * height.current}px`, paddingBottom: `${(count - to) * height.current}px` };
  return { box, from, to, style };
}
