import type { Command } from 'commander'
import { api, operator } from './client.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'

export function addWhoami(program: Command, cli: Cli): void {
  program
    .command('whoami')
    .description('show which key calls, and what it may do')
    .option('--operator', 'the same of the operator token')
    .addHelpText('after', example('greenroom whoami'))
    .action(async (options: { operator?: true }) => {
      const caller = await (options.operator ? operator(cli) : api(cli)).caller.get()
      const permissions = cli.format() === 'table' ? caller.permissions.join(' ') : caller.permissions
      printObject(cli, { ...caller, permissions })
    })
}
