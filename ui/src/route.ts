// Where we are: #/VIEW, #/VIEW/MODEL or #/VIEW/MODEL/KEY, so that a view can be linked to and the back button works.
import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string;
  name: string | null;
  of: string | null;
}

function read(): Route {
  const [view = "", name, of] = location.hash.replace(/^#\/?/, "").split("/");
  return { view: view || "overview", name: name ? decode(name) : null, of: of ? decode(of) : null };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function useRoute(): Route {
  const [route, set] = useState(read);
  useEffect(() => {
    const listener = () => set(read());
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, []);
  return route;
}

export function href(view: string, ...rest: string[]): string {
  return ["#", view, ...rest.map(encodeURIComponent)].join("/");
}
