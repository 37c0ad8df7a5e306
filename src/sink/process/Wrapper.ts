/**
 * The small `sh` program around every run. It outlives heed, so all that must happen to a run whether or not heed is
 * there happens here: the claim, the time-out, the caps, the exit code.
 */

/**
 * Arguments: folder, name for the claim's temporary file, PATH for the wrapper's own tools, time-out and grace in
 * seconds, cap of each output in bytes, working folder, the clock's program, then the agent's command as an absolute
 * path and its arguments.
 * Started as the leader of a group of its own, with the agent's environment. It always exits 0.
 *
 * - Variables have a prefix, since assigning to one that came with the environment would change it for the agent.
 * - The agent runs in the foreground, because sh starts background commands deaf to SIGINT, for good.
 * - `sleep` counts awake time: the kernel's relative timers stand still while the machine sleeps.
 * - What drains the outputs ignores TERM: an agent that is told to end may still write.
 */
export const wrapperScript = `
heed__run=$1 heed__claim=.claim.$2 heed__tools=$3 heed__timeout=$4 heed__grace=$5 heed__cap=$6 heed__cwd=$7
heed__clockwork=$8
shift 8
heed__path=$PATH heed__umask=$(umask)
PATH=$heed__tools
umask 077
cd "$heed__run" || exit 0

# Claim: a complete, synced record, linked into place. Whoever links first runs; all others leave.
IFS= read -r heed__boot < /proc/sys/kernel/random/boot_id || exit 0
IFS= read -r heed__stat < /proc/$$/stat || exit 0
heed__start=$(set -f; set -- \${heed__stat##*) }; printf %s "\${20}")
printf '{ "version": 1, "pid": %s, "startTime": "%s", "bootId": "%s" }\\n' $$ "$heed__start" "$heed__boot" \\
  > "$heed__claim" && sync "$heed__claim" && ln "$heed__claim" claim 2> /dev/null
heed__won=$?
rm -f "$heed__claim"
[ "$heed__won" = 0 ] || exit 0
trap : TERM INT HUP USR1 USR2
sync .

heed__drain() {
  trap '' TERM INT HUP
  head -c "$heed__cap" > "$1" 2> /dev/null
  exec cat > /dev/null
}
heed__now() {
  IFS=' ' read -r heed__up heed__idle < /proc/uptime
  printf %s "\${heed__up%.*}\${heed__up#*.}"
}

rm -f .stdout .stderr .armed
mkfifo .stdout .stderr .armed
# A background command is born deaf to what is ignored here: a TERM before its own trap would leave the agent without it.
trap '' TERM INT HUP
heed__drain stdout < .stdout &
heed__drain1=$!
heed__drain stderr < .stderr &
heed__drain2=$!
trap : TERM INT HUP

HEED_WRAPPER=clock /bin/sh -c "$heed__clockwork" heed-clock $$ "$heed__timeout" "$heed__grace" &
heed__clock=$!
IFS= read -r heed__idle < .armed

heed__began=$(heed__now)
(
  trap - INT HUP TERM USR1 USR2
  cd "$heed__cwd" || exit 126
  umask "$heed__umask"
  PATH=$heed__path
  exec "$@"
) < prompt > .stdout 2> .stderr
heed__code=$?
heed__took=$(( ($(heed__now) - heed__began) * 10 ))

# Timed out: the whole group ends by KILL, whatever this agent made of TERM.
if [ -e timeout ]; then
  wait "$heed__clock"
  kill -KILL -$$
fi

# The outputs' rest. A child that stays behind may keep them open for ever, so this waits two seconds at most.
heed__late=
trap 'heed__late=1' USR2
kill -USR1 "$heed__clock"
wait "$heed__drain1"
[ -n "$heed__late" ] || wait "$heed__drain2"
rm -f .stdout .stderr .armed

heed__exit() {
  printf '%s %s\\n' "$heed__code" "$heed__took" > exit.tmp && sync exit.tmp && mv -f exit.tmp exit && sync .
}
# A full disk delays the exit code; a folder that was removed has nobody who waits for it.
until heed__exit 2> /dev/null; do
  [ -e claim ] || break
  sleep 1
done
kill -USR1 "$heed__clock"
exit 0
`

/**
 * The time-out, as a process of its own: TERM to the whole group, KILL after the grace, the wrapper included; a mark
 * tells why it is gone. USR1 calls it off: from then on it wakes the wrapper every two seconds with USR2, until a
 * second USR1 lets it go. Should the wrapper be killed, this still ends its group in time.
 * Arguments: the wrapper's pid, time-out and grace in seconds.
 */
const clockwork = `
off= nap=
trap '' TERM INT HUP
trap '[ -z "$nap" ] || kill -KILL "$nap"; [ -z "$off" ] || exit 0; off=1' USR1
sleep "$2" &
nap=$!
: > .armed
wait "$nap"
nap() {
  sleep "$1" &
  nap=$!
  wait "$nap"
}
if [ -z "$off" ]; then
  : > timeout
  sync timeout .
  kill -TERM "-$1"
  nap "$3"
  [ -n "$off" ] || kill -KILL "-$1"
fi
while nap 2 && kill -USR2 "$1"; do :; done
`

/** What the clock and its sleep carry: they are no part of the agent's work, and do not keep a run alive. */
export const clockMark = "HEED_WRAPPER=clock"

/** What the wrapper is told of one run. */
export interface WrapperArguments {
  readonly folder: string
  /** Unique to this send: two wrappers never write one file. */
  readonly nonce: string
  /** The PATH that finds `ln`, `sync`, `head`, `cat`, `mkfifo`, `mv`, `rm`, `sleep`. */
  readonly tools: string
  /** Milliseconds of awake time. */
  readonly timeout: number
  /** Milliseconds between TERM and KILL after a time-out. */
  readonly grace: number
  /** Bytes kept of each of stdout and stderr. */
  readonly cap: number
  readonly cwd: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const seconds = (millis: number) => String(Math.max(millis, 1) / 1000)

/** The arguments of `sh` that run the wrapper. */
export const wrapperArguments = (run: WrapperArguments): ReadonlyArray<string> => [
  "-c",
  wrapperScript,
  "heed-run",
  run.folder,
  run.nonce,
  run.tools,
  seconds(run.timeout),
  seconds(run.grace),
  String(Math.max(1, Math.floor(run.cap))),
  run.cwd,
  clockwork,
  run.command,
  ...run.args
]
