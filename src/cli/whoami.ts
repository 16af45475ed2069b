import type { Command } from 'commander'
import { api, byKey } from './client.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'

export function addWhoami(program: Command, cli: Cli): void {
  program
    .command('whoami')
    .description('show which key calls, and what it may do')
    .option('--operator', 'the same of the token')
    .addHelpText('after', example('greenroom whoami'))
    .action(async (options: { operator?: true }) => {
      const caller = await (options.operator ? api(cli).call('getCaller') : byKey(cli).caller.get())
      const permissions = cli.format() === 'table' ? caller.permissions.join(' ') : caller.permissions
      printObject(cli, { ...caller, permissions })
    })
}
