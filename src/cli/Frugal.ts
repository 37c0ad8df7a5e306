/**
 * Frugal: tells V8 that this process mostly waits. Its defaults trade memory for the speed of programs that compute;
 * a daemon that waits for trackers and disks gains nothing from that. A V8 that has dropped the setting says so on stderr
 * and goes on.
 */
import { setFlagsFromString } from "node:v8"

/** Before anything else is loaded. */
export const frugal = (): void => {
  // New objects get a megabyte, collected often, in place of up to 48 that fill before anybody looks.
  setFlagsFromString("--semi-space-growth-factor=1")
}
