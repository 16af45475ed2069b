import type { Command } from 'commander'
import { example } from './io.js'

/** Returns a group of commands. Creates it if it does not exist. */
export const groupNamed = (program: Command, name: string): Command =>
  program.commands.find((command) => command.name() === name) ?? program.command(name)

/**
 * Adds a handwritten command. `usage` includes the group and the arguments, for example `raffle verify <file>`. The example
 * is what follows the command's name. `run` receives the arguments, then the options.
 */
export function addCommand<Given extends unknown[]>(
  program: Command,
  usage: string,
  description: string,
  sample: string,
  run: (...given: Given) => Promise<void>,
): Command {
  const [group = '', verb = '', ...more] = usage.split(' ')
  return groupNamed(program, group)
    .command([verb, ...more].join(' '))
    .description(description)
    .addHelpText('after', example(`greenroom ${group} ${verb} ${sample}`.trim()))
    .action((...given: unknown[]) => run(...(given as Given)))
}
