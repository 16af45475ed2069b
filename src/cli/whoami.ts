import type { Command } from 'commander'
import { api, byKey } from './client.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'
import { readTarget } from './settings.js'

export function addWhoami(program: Command, cli: Cli): void {
  program
    .command('whoami')
    .description('show the key in use, or the token if there is no key, and what it may do')
    .option('--operator', 'show the operator token or the personal token, even if there is a key')
    .addHelpText('after', example('greenroom whoami'))
    .action(async (options: { operator?: true }) => {
      const target = readTarget(cli)
      // Without a token, the response would describe the key instead.
      if (options.operator) target.requireToken()
      const byToken = options.operator || target.hasOnlyToken
      const { token, organizations, permissions, ...caller } = await (byToken
        ? api(cli).call('getCaller')
        : byKey(cli).caller.get())
      const isTable = cli.format() === 'table'
      printObject(cli, {
        ...caller,
        permissions: isTable ? permissions.join(' ') : permissions,
        ...(token && { token: isTable ? `${token.name} (${token.id}), until ${token.expiresAt}` : token }),
        ...(organizations && {
          organizations: isTable ? organizations.map(({ id, name }) => `${name} (${id})`).join(', ') : organizations,
        }),
      })
    })
}
