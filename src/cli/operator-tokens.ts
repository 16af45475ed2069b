import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { addExpiresOption, toInstant } from './input.js'
import type { Cli } from './io.js'

export function addOperatorTokens(program: Command, cli: Cli): void {
  const about = "tokens of the operator's side, beside OPERATOR_TOKEN"
  const { print, list, remove } = groupOf(program, cli, 'operator-tokens', about)

  addExpiresOption(
    print(
      'issue <name>',
      'issue a token; it is shown only now',
      'anna --expires +90d',
      (name: string, { expires }: { expires?: string }) =>
        operator(cli).operatorTokens.issue({
          name,
          ...(expires !== undefined && { expiresAt: toInstant(cli, expires) }),
        }),
      'Keep the token now: it is not shown again.',
    ),
  )

  const view = { columns: ['name', 'createdAt', 'expiresAt', 'revokedAt'], noun: 'operator tokens' }
  list('list', 'list the tokens, revoked ones too', '', view, () => operator(cli).operatorTokens.list())

  remove(
    'revoke <token>',
    'revoke a token, by its name, at once and for good',
    'anna --yes',
    (name: string) => [`Calls with the token ${name} are refused from now on, and no other token can have its name.`],
    (name) => operator(cli).operatorTokens.revoke(name),
  )
}
