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
      'Write a channel and its role, such as FB_PAGE_1=EDITOR or FB_PAGE_1=VIEWER+approve.',
    )
  }
  return [...before, { channelId, role: role as ChannelRole['role'], mayApprove: approve !== undefined }]
}

const addChannelRoles = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--channel <channel=role>',
        'another role in this channel (=VIEWER, =EDITOR, with +approve to approve posts there); repeat it for each: they replace those before',
      ).argParser(readChannelRole),
    )
    .option('--no-channels', 'the role of the organization in every channel')

/** Warns about keys that stay valid, and prints the commands that revoke them. */
function noteLiveKeys(cli: Cli, keys: readonly GrantedKey[], toCommand: (key: GrantedKey) => string): void {
  if (keys.length === 0) return
  note(cli, `Keys that the person issued go on: ${keys.map(describe).join(', ')}. To revoke them:`)
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
    columns: 'id role mayApprove channels active mail name',
    spare: 'active channels',
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
    does: 'take a person out of an organization, and end what they made that lets people in; the account stays',
    sample: '--revoke-keys all',
    goes: '{person} is no member of {organization} any more; links that they made end. The account stays.',
    run: (call) => remove(call, 'getMemberGrants'),
  }),
])

export const USERS = group('users', 'the people who sign in: their accounts on the server', [
  row('list', 'listPeople', {
    columns: 'id owner active secondFactor createdAt mail mailProven name',
    spare: 'createdAt',
    noun: 'accounts',
  }),
  row('invite-owner', 'inviteOwner'),
  row('sign-in-link', 'createSignInLink'),
  row('reset-second-factor', 'resetSecondFactors', {
    goes: 'The passkeys, the authenticator app and the recovery codes of {person} go, and the sessions end. The first factor alone lets the person in again: make sure who asked for this.',
  }),
  row('activate', 'updatePerson', { set: { active: true }, does: 'let a person in again' }),
  row('deactivate', 'updatePerson', {
    does: 'let a person in no more, and end the sessions and what they made that lets people in',
    sample: '--revoke-keys all',
    set: { active: false },
    fields: 'revokeKeys',
    goes: 'The sessions of {person} end, and the links that they made. `greenroom users activate` only lets them sign in again.',
    fill: splitKeys,
    run: deactivate,
  }),
  row('delete', 'deletePerson', {
    does: 'delete an account for good: name, mail address, ways in, memberships; histories keep its id',
    sample: '--revoke-keys all',
    goes: 'The account {person} goes, with its name, mail address, ways in, memberships and inboxes. Histories and discussions then name a deleted account. The mail address can be invited again, to another account.',
    run: (call) => remove(call, 'getPersonGrants'),
  }),
  row('tokens', 'listPersonTokens', {
    columns: 'id name scopes createdAt lastUsedAt expiresAt',
    spare: 'createdAt lastUsedAt',
    noun: 'tokens',
  }),
  row('revoke-token', 'revokePersonToken', { goes: 'Programs with the token {token} are refused from now on.' }),
  row('make-owner', 'updatePerson', { set: { owner: true }, does: 'let a person do what the operator token does' }),
  row('unmake-owner', 'updatePerson', {
    set: { owner: false },
    does: 'take that back, and end the operator tokens and the links that they made by it',
    goes: '{person} is no owner of the server any more; the operator tokens and the links that they made by it end.',
  }),
  row('confirm-mail', 'updatePerson', {
    set: { mailProven: true },
    does: 'vouch that the mail address is theirs, where no mail and no provider has shown it',
  }),
])
