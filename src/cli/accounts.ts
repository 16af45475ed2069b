import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ChannelRole, GrantedKey, Member } from '../client/index.js'
import type { Cli } from './io.js'
import { note, printObject } from './output.js'
import { group, row, type TableCall } from './table-command.js'

const toText = ({ channelId, role, mayApprove }: ChannelRole): string =>
  `${channelId}=${role}${mayApprove ? '+approve' : ''}`

/** Appends the role in `FB_PAGE_1=EDITOR+approve` to the roles given before. */
function readChannelRole(text: string, before: ChannelRole[] = []): ChannelRole[] {
  const [, channelId, role, approve] = /^([^=]{1,200})=(VIEWER|EDITOR)(\+approve)?$/.exec(text) ?? []
  if (channelId === undefined || role === undefined) {
    throw new InvalidArgumentError(
      'Give a channel and its role, for example FB_PAGE_1=EDITOR or FB_PAGE_1=VIEWER+approve.',
    )
  }
  return [...before, { channelId, role: role as ChannelRole['role'], mayApprove: approve !== undefined }]
}

const addChannelRoles = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--channel <channel=role>',
        'the role in a channel (=VIEWER or =EDITOR; +approve allows approvals there); may be repeated, and replaces all previous ones',
      ).argParser(readChannelRole),
    )
    .option('--no-channels', 'remove all roles in single channels, so that the role in the organization applies')

/** Warns about keys that stay valid, and prints the commands that revoke them. */
function noteLiveKeys(cli: Cli, keys: readonly GrantedKey[], toCommand: (key: GrantedKey) => string): void {
  if (keys.length === 0) return
  note(cli, `Keys issued by this person stay valid: ${keys.map(describe).join(', ')}. To revoke them:`)
  for (const command of new Set(keys.map(toCommand))) note(cli, `  ${command}`)
}

const describe = ({ id, name, organizationId }: GrantedKey): string =>
  name === '' ? `${id} of ${organizationId}` : `${id} (${name}) of ${organizationId}`

/** Removes a member or an account. Its keys are listed first, because their list goes with it. */
async function remove({ cli, client, ids, send }: TableCall, grants: string): Promise<void> {
  const { keys } = await client.call(grants, ids)
  const removed = await send()
  printObject(cli, removed)
  const live = keys.filter(({ id }: GrantedKey) => !removed.ended.keys.includes(id))
  noteLiveKeys(cli, live, ({ id, organizationId }) => `greenroom keys revoke ${organizationId} ${id}`)
}

async function deactivate({ cli, client, ids, send }: TableCall): Promise<void> {
  printObject(cli, await send())
  const { keys } = await client.call('getPersonGrants', ids)
  noteLiveKeys(cli, keys, () => `greenroom users deactivate ${ids.personId} --revoke-keys all --yes`)
}

/** Splits comma-separated ids into a list. */
function splitKeys({ body }: TableCall): void {
  const { revokeKeys } = body as { revokeKeys?: string }
  if (revokeKeys !== undefined && revokeKeys !== 'all') body.revokeKeys = revokeKeys.split(',')
}

export const MEMBERS = group('members', 'the people of an organization', [
  row('list', 'listMembers', {
    columns: 'id role mayApprove channels active email name',
    dropFirst: 'active channels',
    view: { toRow: (member: Member) => ({ ...member, channels: member.channels.map(toText).join(' ') }) },
  }),
  row('update', 'updateMember', {
    sample: '--role VIEWER --channel FB_PAGE_172938475610293=EDITOR+approve',
    fields: 'role mayApprove',
    extend: addChannelRoles,
    fill({ body, options: { channel, channels } }) {
      if (channel !== undefined || channels === false) body.channels = channel ?? []
    },
  }),
  row('remove', 'removeMember', {
    description: 'remove a person from an organization, and revoke the links that they created; the account stays',
    sample: '--revoke-keys all',
    warning: 'This removes {person} from {organization} and revokes the links that they created. The account stays.',
    run: (call) => remove(call, 'getMemberGrants'),
  }),
])

export const USERS = group('users', 'the people who sign in: their accounts on the server', [
  row('list', 'listPeople', {
    columns: 'id owner active secondFactor createdAt email mailProven name',
    dropFirst: 'createdAt',
    noun: 'accounts',
  }),
  row('invite-owner', 'inviteOwner'),
  row('sign-in-link', 'createSignInLink'),
  row('reset-second-factor', 'resetSecondFactors', {
    warning:
      'This removes the passkeys, the authenticator app and the recovery codes of {person}, and ends the sessions. After this the first factor is enough to sign in: make sure that the request really comes from this person.',
  }),
  row('activate', 'updatePerson', { set: { active: true }, description: 'let a person sign in again' }),
  row('deactivate', 'updatePerson', {
    description: 'stop a person from signing in, and end their sessions and the links that they created',
    sample: '--revoke-keys all',
    set: { active: false },
    fields: 'revokeKeys',
    warning:
      'This ends the sessions of {person} and revokes the links that they created. `greenroom users activate` lets them sign in again, but restores neither.',
    fill: splitKeys,
    run: deactivate,
  }),
  row('delete', 'deletePerson', {
    description:
      'delete an account permanently: name, email address, sign-in methods and memberships; histories keep its id',
    sample: '--revoke-keys all',
    warning:
      'This deletes the account {person} with its name, email address, sign-in methods, memberships and inboxes. Histories and discussions will show a deleted account. The email address can be invited again, and gets a new account.',
    run: (call) => remove(call, 'getPersonGrants'),
  }),
  row('tokens', 'listPersonTokens', {
    columns: 'id name scopes createdAt lastUsedAt expiresAt',
    dropFirst: 'createdAt lastUsedAt',
    noun: 'tokens',
  }),
  row('revoke-token', 'revokePersonToken', { warning: 'Programs that use the token {token} will be refused.' }),
  row('make-owner', 'updatePerson', {
    set: { owner: true },
    description: 'make a person an owner of the server, who may do what the operator token allows',
  }),
  row('unmake-owner', 'updatePerson', {
    set: { owner: false },
    description:
      'remove a person as an owner of the server, and revoke the operator tokens and links that they created as one',
    warning:
      'This removes {person} as an owner of the server, and revokes the operator tokens and links that they created as one.',
  }),
  row('confirm-mail', 'updatePerson', {
    set: { mailProven: true },
    description: 'confirm an email address that neither an email nor a provider has confirmed',
  }),
])
