import { render } from "preact";
import { live } from "./live";
import { Shell } from "./shell";

live.start();
render(<Shell />, document.getElementById("page")!);
