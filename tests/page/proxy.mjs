// Between a page and its gateway: passes all on, and can let the feeds go dead without an end, as a sleeping laptop or a
// forgetful NAT does.
import { once } from "node:events";
import { connect, createServer } from "node:net";

export class Proxy {
  static async start(admin) {
    const proxy = new Proxy();
    const { hostname, port } = new URL(admin);
    proxy.feeds = new Set();
    proxy.open = new Set();
    proxy.server = createServer((near) => proxy.pass(near, connect(Number(port), hostname)));
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
    return proxy;
  }

  pass(near, far) {
    near.on("data", (bytes) => bytes.includes("GET /admin/api/live") && this.feeds.add(far));
    for (const [one, other] of [[near, far], [far, near]]) {
      this.open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => this.open.delete(one));
    }
  }

  letFeedsGoDead() {
    for (const far of this.feeds) far.unpipe().pause();
    this.feeds.clear();
  }

  end() {
    for (const socket of this.open) socket.destroy();
    this.server.close();
  }
}
