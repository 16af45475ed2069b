import type { Command } from 'commander'
import { example } from './io.js'

/** A group of commands, which is made if it is not there. */
export const groupNamed = (program: Command, name: string): Command =>
  program.commands.find((command) => command.name() === name) ?? program.command(name)

/**
 * Adds a command that is written by hand: its group and its usage, such as `raffle verify <file>`, its description, and an
 * example of what comes after its name. `run` gets its arguments, then its options.
 */
export function addCommand<Given extends unknown[]>(
  program: Command,
  usage: string,
  does: string,
  sample: string,
  run: (...given: Given) => Promise<void>,
): Command {
  const [group = '', verb = '', ...more] = usage.split(' ')
  return groupNamed(program, group)
    .command([verb, ...more].join(' '))
    .description(does)
    .addHelpText('after', example(`greenroom ${group} ${verb} ${sample}`.trim()))
    .action((...given: unknown[]) => run(...(given as Given)))
}
