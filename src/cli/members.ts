import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ChannelRole, Member, Role } from '../client/index.js'
import type { RemovedMember } from '../interface/generated/types.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { type Cli, CliError } from './io.js'
import { printLink } from './link.js'
import { noteLiveKeys, type RevokeKeysOptions, revokeKeysOption } from './live-keys.js'

const ROLES: readonly Role[] = ['VIEWER', 'EDITOR', 'ADMIN']

interface RightsOptions {
  role?: Role
  mayApprove?: boolean
  /** Roles by channel. */
  channel?: ChannelRole[]
  /** False to end those that there are. */
  channels?: boolean
}

const roleOption = (): Option => new Option('--role <role>', 'what the person does there').choices(ROLES)

const toText = ({ channelId, role, mayApprove }: ChannelRole): string =>
  `${channelId}=${role}${mayApprove ? '+approve' : ''}`

/** Adds `FB_PAGE_1=EDITOR+approve` to those before it. */
function readChannelRole(text: string, before: ChannelRole[] = []): ChannelRole[] {
  const [, channelId, role, approve] = /^(.+)=(VIEWER|EDITOR)(\+approve)?$/.exec(text) ?? []
  if (channelId === undefined || role === undefined) {
    throw new InvalidArgumentError(
      'Write a channel and its role, such as FB_PAGE_1=EDITOR or FB_PAGE_1=VIEWER+approve.',
    )
  }
  return [...before, { channelId, role: role as ChannelRole['role'], mayApprove: approve !== undefined }]
}

const MEMBERS = {
  columns: ['id', 'role', 'mayApprove', 'channels', 'active', 'mail', 'name'],
  spare: ['active', 'channels'],
  noun: 'members',
  toRow: (member: Member) => ({ ...member, channels: member.channels.map(toText).join(' ') }),
}
const INVITATIONS = { columns: ['id', 'role', 'mayApprove', 'expiresAt', 'mail'], noun: 'invitations' }

export function addMembers(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'members', 'the people of an organization')

  list('list <organization>', 'list the people of an organization', 'org_5V3kPq', MEMBERS, (organization: string) =>
    operator(cli).members.list(organization),
  )

  print(
    'update <organization> <person>',
    'change what a person may do, at once and in the sessions that they have',
    'org_5V3kPq usr_4Tb9Wn --role VIEWER --channel FB_PAGE_172938475610293=EDITOR+approve',
    async (organization: string, person: string, { role, mayApprove, channel, channels: keeps }: RightsOptions) => {
      const channels = channel ?? (keeps === false ? [] : undefined)
      if (role === undefined && mayApprove === undefined && channels === undefined) {
        throw new CliError(2, 'Say --role, --may-approve, --no-may-approve, --channel or --no-channels.')
      }
      const changes = {
        ...(role && { role }),
        ...(mayApprove === undefined ? {} : { mayApprove }),
        ...(channels && { channels }),
      }
      return operator(cli).members.update(organization, person, changes)
    },
  )
    .addOption(roleOption())
    .option('--may-approve', 'approves posts')
    .option('--no-may-approve', 'does not')
    .addOption(
      new Option(
        '--channel <channel=role>',
        'another role in this channel (=VIEWER, =EDITOR, with +approve to approve posts there); repeat it for each: they replace those before',
      ).argParser(readChannelRole),
    )
    .option('--no-channels', 'the role of the organization in every channel')

  remove(
    'remove <organization> <person>',
    'take a person out of an organization, and end what they made that lets people in; the account stays',
    'org_5V3kPq usr_4Tb9Wn --revoke-keys all --yes',
    (organization: string, person: string, _options: RevokeKeysOptions) => [
      `${person} is no member of ${organization} any more; links that they made end. The account stays.`,
    ],
    (organization, person, options) => removeMember(cli, organization, person, options),
  ).addOption(revokeKeysOption())

  addInvitations(program, cli)
}

async function removeMember(
  cli: Cli,
  organization: string,
  person: string,
  { revokeKeys }: RevokeKeysOptions,
): Promise<RemovedMember> {
  const { members } = operator(cli)
  // The server tells the grants of a member alone: they are read before the removal.
  const { keys } = await members.grants(organization, person)
  const removed = await members.remove(organization, person, revokeKeys === undefined ? {} : { revokeKeys })
  const live = keys.filter(({ id }) => !removed.ended.keys.includes(id))
  noteLiveKeys(cli, live, ({ id }) => `greenroom keys revoke ${organization} ${id}`)
  return removed
}

function addInvitations(program: Command, cli: Cli): void {
  const { add, list, remove } = groupOf(program, cli, 'invitations', 'links by which people join an organization')

  add(
    'create <organization> <mail>',
    'print the link by which a person joins: it works once, for 7 days; a server with SMTP_URL mails it too',
    'org_5V3kPq zoe@example.com --role EDITOR',
    async (organization: string, mail: string, { role, mayApprove = false }: RightsOptions) =>
      printLink(cli, await operator(cli).invitations.create(organization, { mail, role: role!, mayApprove })),
  )
    .addOption(roleOption().makeOptionMandatory())
    .option('--may-approve', 'approves posts')

  const usable = 'list the invitations that can still be used'
  list('list <organization>', usable, 'org_5V3kPq', INVITATIONS, (organization: string) =>
    operator(cli).invitations.list(organization),
  )

  remove(
    'revoke <organization> <invitation>',
    'end an invitation: its link no longer works',
    'org_5V3kPq inv_9Qd2Xs --yes',
    (_organization: string, invitation: string) => [`The link of ${invitation} no longer works.`],
    (organization, invitation) => operator(cli).invitations.revoke(organization, invitation),
  )
}
