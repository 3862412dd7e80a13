// What to paste into each client.
import { useEffect, useState } from "preact/hooks";
import { call, modelPath } from "../api";
import { Copy, Empty, ModelTabs, Section } from "../parts";
import type { ViewProps } from "../shell";

interface Setting {
  client: string;
  file: string;
  text: string;
}

export function Connect({ state, name }: ViewProps) {
  const model = state.models.find((each) => each.name === name)?.name ?? state.models[0]?.name;
  const [settings, set] = useState<Setting[]>([]);
  const [error, setError] = useState("");
  useEffect(() => {
    if (model === undefined) return;
    call<{ clients: Setting[] }>("GET", modelPath(model, "connect")).then(
      (answer) => {
        set(answer.clients);
        setError("");
      },
      (failure: Error) => setError(failure.message),
    );
  }, [model]);
  if (model === undefined) return <Empty>No engine has been found yet.</Empty>;
  return (
    <>
      <ModelTabs models={state.models} view="connect" current={model} />
      {error && <p class="error">{error}</p>}
      <div class="settings">
        {settings.map((each) => (
          <Section
            key={each.client}
            title={each.client}
            aside={<Copy text={each.text} label={`settings for ${each.client}`} />}
          >
            <p class="where">{each.file ? <>In <code>{each.file}</code></> : "In a shell"}</p>
            <pre tabIndex={0}>{each.text}</pre>
          </Section>
        ))}
      </div>
      <p class="note">
        LM Warden asks for no key of its own; “local” stands where a client wants one. If the engine has a key (
        <code>vllm --api-key</code>), put it there.
      </p>
    </>
  );
}
