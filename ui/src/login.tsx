// Asks for the admin token, where one is set.
import { useState } from "preact/hooks";
import { call } from "./api";
import { Problem } from "./parts";

export function Login({ done }: { done: () => void }) {
  const [error, setError] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
    try {
      await call("POST", "/admin/api/login", { token });
      done();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <form class="login" onSubmit={submit}>
      <label>
        Admin token
        <input name="token" type="password" autocomplete="current-password" required />
      </label>
      <button type="submit">Open</button>
      <Problem why={error} />
      <p class="note">
        It is <code>admin_token</code> of LM Warden’s configuration.
      </p>
    </form>
  );
}
