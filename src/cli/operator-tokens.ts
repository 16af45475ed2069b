import type { Command } from 'commander'
import { operator } from './client.js'
import { toInstant } from './input.js'
import { type Cli, example } from './io.js'
import { note, printList, printObject } from './output.js'

export function addOperatorTokens(program: Command, cli: Cli): void {
  const tokens = program.command('operator-tokens').description("tokens of the operator's side, beside OPERATOR_TOKEN")

  tokens
    .command('issue <name>')
    .description('issue a token; it is shown only now')
    .option('--expires <time>', 'refused from then on: ISO 8601 in UTC, or from now as +12h or +90d')
    .addHelpText('after', example('greenroom operator-tokens issue anna --expires +90d'))
    .action(async (name: string, { expires }: { expires?: string }) => {
      const token = { name, ...(expires === undefined ? {} : { expiresAt: toInstant(cli, expires) }) }
      printObject(cli, await operator(cli).operatorTokens.issue(token))
      note(cli, 'Keep the token now: it is not shown again.')
    })

  tokens
    .command('list')
    .description('list the tokens, revoked ones too')
    .addHelpText('after', example('greenroom operator-tokens list'))
    .action(async () => {
      const rows = await operator(cli).operatorTokens.list()
      printList(cli, rows, { columns: ['name', 'createdAt', 'expiresAt', 'revokedAt'], noun: 'operator tokens' })
    })

  tokens
    .command('revoke <token>')
    .description('revoke a token, by its name, at once and for good')
    .addHelpText('after', example('greenroom operator-tokens revoke anna'))
    .action(async (name: string) => printObject(cli, await operator(cli).operatorTokens.revoke(name)))
}
