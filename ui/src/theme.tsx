// Light, dark, or as the system has it.
import { useState } from "preact/hooks";

const choices = ["auto", "light", "dark"] as const;
type Choice = (typeof choices)[number];

function stored(): Choice {
  const value = localStorage.getItem("theme");
  return choices.find((each) => each === value) ?? "auto";
}

function apply(choice: Choice) {
  if (choice === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = choice;
}

apply(stored());

export function ThemeButton() {
  const [choice, set] = useState(stored);
  const next = choices[(choices.indexOf(choice) + 1) % choices.length]!;
  const change = () => {
    localStorage.setItem("theme", next);
    apply(next);
    set(next);
    dispatchEvent(new Event("theme"));
  };
  return (
    <button type="button" class="small" onClick={change} aria-label={`Theme: ${choice}. Change to ${next}`}>
      Theme: {choice}
    </button>
  );
}
