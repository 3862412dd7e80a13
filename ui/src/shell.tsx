// The frame around each view: navigation, whether the numbers are live, light or dark.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { clock } from "./format";
import { live, useLive } from "./live";
import { Login } from "./login";
import { Problem } from "./parts";
import { type Route, href, useRoute } from "./route";
import { ThemeButton } from "./theme";
import type { State } from "./types";
import { Bench } from "./views/bench";
import { Connect } from "./views/connect";
import { Conversation } from "./views/conversation";
import { Conversations } from "./views/conversations";
import { Engines } from "./views/engines";
import { InFlight } from "./views/in_flight";
import { Overview } from "./views/overview";
import { PromptBreaks } from "./views/prompt_breaks";
import { Routing } from "./views/routing";

export interface ViewProps {
  state: State;
  name: string | null; // of the model, or the id of a report, where a view has one
  of: string | null; // the key of a conversation
}

// One that is `under` another is reached from there.
const views: { id: string; title: string; view: (props: ViewProps) => JSX.Element; under?: string }[] = [
  { id: "overview", title: "Overview", view: Overview },
  { id: "routing", title: "Routing", view: Routing },
  { id: "in-flight", title: "In flight", view: InFlight },
  { id: "conversations", title: "Conversations", view: Conversations },
  { id: "prompt-breaks", title: "Prompt breaks", view: PromptBreaks },
  { id: "bench", title: "Bench", view: Bench },
  { id: "engines", title: "Engines", view: Engines },
  { id: "connect", title: "Connect", view: Connect },
  { id: "conversation", title: "Conversation", view: Conversation, under: "conversations" },
];

export function Shell() {
  const { state, stale, locked, refusal } = useLive();
  const route = useRoute();
  const current = views.find((each) => each.id === route.view) ?? views[0]!;
  const heading = useFocusOnChange(route);
  useEffect(() => {
    document.title = `${current.title} · LM Warden`;
  }, [current]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skip(event, heading.current)}>
        Skip to content
      </a>
      <header class="bar">
        <a class="brand" href={href("overview")}>
          <img src="icon.svg" alt="" width={22} height={22} />
          LM Warden
        </a>
        <Freshness />
        <ThemeButton />
      </header>
      <nav class="side" aria-label="Views">
        {views
          .filter(({ under }) => !under)
          .map(({ id, title }) => (
            <a href={href(id)} aria-current={id === (current.under ?? current.id) ? "page" : undefined}>
              {title}
            </a>
          ))}
      </nav>
      <main id="main" class={stale ? "stale" : ""}>
        <h1 ref={heading} tabIndex={-1}>
          {current.title}
        </h1>
        <Problem why={refusal} what="Nothing new comes" />
        {locked ? (
          <Login done={() => live.unlock()} />
        ) : state ? (
          <current.view state={state} name={route.name} of={route.of} />
        ) : (
          !refusal && <p class="empty">Waiting for the first numbers…</p>
        )}
      </main>
      <footer>LM Warden {state?.version}</footer>
    </>
  );
}

// Screen readers and keyboards start at the new view, as they would on a new page.
function useFocusOnChange(route: Route) {
  const heading = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) heading.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
    document.querySelector(".side [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [route.view, route.name, route.of]);
  return heading;
}

function skip(event: Event, heading: HTMLElement | null) {
  event.preventDefault();
  heading?.focus();
}

function Freshness() {
  useLive();
  if (!live.lastEvent) return <span class="fresh" role="status" />;
  if (live.stale)
    return (
      <span class="fresh old" role="status">
        <i /> Stale since {clock(live.lastEvent)}
      </span>
    );
  return (
    <span class="fresh" role="status">
      <i /> Live
    </span>
  );
}
