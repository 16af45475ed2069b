import { type Command, Option } from 'commander'
import type { Role } from '../client/index.js'
import { operator } from './client.js'
import { type Cli, CliError, example } from './io.js'
import { printLink } from './link.js'
import { noteLiveKeys, type RevokeKeysOptions, revokeKeysOption } from './live-keys.js'
import { printList, printObject } from './output.js'

const ROLES: readonly Role[] = ['VIEWER', 'EDITOR', 'ADMIN']

interface RightsOptions {
  role?: Role
  mayApprove?: boolean
}

const roleOption = (): Option => new Option('--role <role>', 'what the person does there').choices(ROLES)

export function addMembers(program: Command, cli: Cli): void {
  const members = program.command('members').description('the people of an organization')

  members
    .command('list <organization>')
    .description('list the people of an organization')
    .addHelpText('after', example('greenroom members list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await operator(cli).members.list(organization)
      printList(cli, rows, {
        columns: ['id', 'role', 'mayApprove', 'active', 'mail', 'name'],
        spare: ['active'],
        noun: 'members',
      })
    })

  members
    .command('update <organization> <person>')
    .description('change what a person may do, at once and in the sessions that they have')
    .addOption(roleOption())
    .option('--may-approve', 'approves posts')
    .option('--no-may-approve', 'does not')
    .addHelpText('after', example('greenroom members update org_5V3kPq usr_4Tb9Wn --role EDITOR --may-approve'))
    .action(async (organization: string, person: string, { role, mayApprove }: RightsOptions) => {
      if (role === undefined && mayApprove === undefined) {
        throw new CliError(2, 'Say --role, --may-approve or --no-may-approve.')
      }
      const changes = { ...(role && { role }), ...(mayApprove === undefined ? {} : { mayApprove }) }
      printObject(cli, await operator(cli).members.update(organization, person, changes))
    })

  members
    .command('remove <organization> <person>')
    .description('take a person out of an organization, and end what they made that lets people in; the account stays')
    .addOption(revokeKeysOption())
    .addHelpText('after', example('greenroom members remove org_5V3kPq usr_4Tb9Wn --revoke-keys all'))
    .action(async (organization: string, person: string, { revokeKeys }: RevokeKeysOptions) => {
      // Once the person is a member no more, the grants are not told: they are read before.
      const { keys } = await operator(cli).members.grants(organization, person)
      const query = revokeKeys === undefined ? {} : { revokeKeys }
      const removed = await operator(cli).members.remove(organization, person, query)
      printObject(cli, removed)
      const live = keys.filter(({ id }) => !removed.ended.keys.includes(id))
      noteLiveKeys(cli, live, ({ id }) => `greenroom keys revoke ${organization} ${id}`)
    })

  const invitations = program.command('invitations').description('links by which people join an organization')

  invitations
    .command('create <organization> <mail>')
    .description(
      'print the link by which a person joins: it works once, for 7 days; a server with SMTP_URL mails it too',
    )
    .addOption(roleOption().makeOptionMandatory())
    .option('--may-approve', 'approves posts')
    .addHelpText('after', example('greenroom invitations create org_5V3kPq zoe@example.com --role EDITOR'))
    .action(async (organization: string, mail: string, { role, mayApprove = false }: RightsOptions) =>
      printLink(cli, await operator(cli).invitations.create(organization, { mail, role: role!, mayApprove })),
    )

  invitations
    .command('list <organization>')
    .description('list the invitations that can still be used')
    .addHelpText('after', example('greenroom invitations list org_5V3kPq'))
    .action(async (organization: string) => {
      const rows = await operator(cli).invitations.list(organization)
      printList(cli, rows, { columns: ['id', 'role', 'mayApprove', 'expiresAt', 'mail'], noun: 'invitations' })
    })

  invitations
    .command('revoke <organization> <invitation>')
    .description('end an invitation: its link no longer works')
    .addHelpText('after', example('greenroom invitations revoke org_5V3kPq inv_9Qd2Xs'))
    .action(async (organization: string, invitation: string) =>
      printObject(cli, await operator(cli).invitations.revoke(organization, invitation)),
    )
}
