/**
 * FirstPage: what `heed --help` prints. It is written out here so that it can be printed without loading the command
 * line; a test holds it to what the command line would print.
 */

export const firstPage = `Puts coding agents to work on what people label in an issue tracker.

USAGE
  heed <subcommand> [flags]

COMMANDS
  start     watch the sources, put agents to work
  stop      stop the daemon and wait until it is gone
  status    running? sources, sessions, what waits and why
  plan      what the next cycle would do, and why
  explain   all that is known of an item, and why
  events    what heed did and why; --follow to watch
  sessions  list, attach, stop, pause, resume sessions
  retry     re-arm what was given up or settled
  config    check it, print its schema, show defaults
  init      write a heed.yaml of six lines
  demo      the main job in a minute, no account needed

FLAGS
  --config FILE        the configuration; else $HEED_CONFIG, ./heed.yaml
  --help, -h           Show help information
  --version, -v        Show version information
  --completions SHELL  Print shell completion script

EXAMPLES
  heed init
      begin here
  heed start
      then watch and work
`
