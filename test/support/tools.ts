/** What the tests need of the machine, said once and before any of them runs. */
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

const isThere = (command: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)))

export default () => {
  if (!isThere("tmux")) throw new Error("the tests need tmux: apt-get install tmux, or your system's way")
}
