import type { Command } from 'commander'
import { ask, confirm } from './input.js'
import { type Cli, CliError } from './io.js'
import { note } from './output.js'

/** The option of every command that cannot be undone. */
export interface SureOption {
  yes?: true
}

/** Adds `--yes`. `when` names the option that makes the command ask at all. */
export const addSureOption = (command: Command, when?: string): Command =>
  command.option('--yes', `${when ? `with ${when}: ` : ''}do not ask for confirmation; required without a terminal`)

/**
 * Shows what will be removed and asks for confirmation unless `--yes` is given. Ends the command if the response is not yes.
 */
export async function confirmRemoval(cli: Cli, warning: readonly string[], { yes }: SureOption): Promise<void> {
  if (yes) return
  if (cli.stdin.isTTY) for (const line of warning) note(cli, line)
  const answer = await confirm(cli, 'This cannot be undone. Continue?')
  if (answer === undefined) throw noTerminal('--yes')
  if (!answer) throw new CliError(1, 'Nothing was changed.')
}

/** Asks for a name to be typed. Returns it, or `given` if `--yes` is given. */
export async function confirmByName(
  cli: Cli,
  warning: readonly string[],
  { yes, name }: SureOption & { name?: string },
): Promise<string> {
  if (yes && name !== undefined) return name
  if (!cli.stdin.isTTY) throw noTerminal('--yes and --name')
  for (const line of warning) note(cli, line)
  const typed = await ask(cli, 'This cannot be undone. Type its name to continue:')
  if (typed === undefined || typed === '') throw new CliError(1, 'Nothing was changed.')
  return typed
}

const noTerminal = (option: string): CliError =>
  new CliError(2, `This cannot be undone, and there is no terminal to ask on: add ${option}.`)

/** Repeats a deletion in batches until it is done. Returns the last response, with the named counts summed. */
export async function deleteAll<Answer extends { done: boolean }>(
  cli: Cli,
  counts: readonly string[],
  call: () => Promise<Answer>,
): Promise<Answer> {
  const sums = new Map<string, number>()
  for (;;) {
    const answer = await call()
    for (const count of counts)
      sums.set(count, (sums.get(count) ?? 0) + ((answer as unknown as Record<string, number>)[count] ?? 0))
    const total = { ...answer, ...Object.fromEntries(sums) }
    if (answer.done) return total
    note(cli, `${[...sums].map(([count, sum]) => `${count} ${sum}`).join(', ')} so far …`)
  }
}
