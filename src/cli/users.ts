import type { Command } from 'commander'
import type { PersonPatch, RemovedMember } from '../interface/generated/types.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { printLink } from './link.js'
import { noteLiveKeys, type RevokeKeysOptions, revokeKeysOption } from './live-keys.js'

const ACCOUNTS = {
  columns: ['id', 'owner', 'active', 'secondFactor', 'createdAt', 'mail', 'mailProven', 'name'],
  spare: ['createdAt'],
  noun: 'accounts',
}
const SESSIONS = {
  columns: ['id', 'method', 'createdAt', 'lastSeenAt', 'address', 'expiresAt', 'userAgent'],
  spare: ['createdAt', 'expiresAt'],
  noun: 'sessions',
}
const PERSON = 'usr_4Tb9Wn'

export function addUsers(program: Command, cli: Cli): void {
  const { add, print, list, remove } = groupOf(
    program,
    cli,
    'users',
    'the people who sign in: their accounts on the server',
  )

  list('list', 'list everyone who has an account', '', ACCOUNTS, () => operator(cli).users.list())
  add(
    'invite-owner',
    'print the link by which a person becomes an owner of the server: it works once, for an hour',
    '',
    async () => printLink(cli, await operator(cli).users.inviteOwner()),
  )
  add(
    'sign-in-link <person>',
    'print a link that lets a person in, such as one who forgot the password: once, for 15 minutes',
    PERSON,
    async (person: string) => printLink(cli, await operator(cli).users.createSignInLink(person)),
  )
  remove(
    'reset-second-factor <person>',
    'remove the passkeys, the authenticator app and the recovery codes of a person, and end the sessions',
    `${PERSON} --yes`,
    (person: string) => [
      `The passkeys, the authenticator app and the recovery codes of ${person} go, and the sessions end.`,
      'The first factor alone lets the person in again: make sure who asked for this.',
    ],
    (person) => operator(cli).users.resetSecondFactors(person),
  )

  const addSwitch = (verb: string, change: PersonPatch, does: string) =>
    print(`${verb} <person>`, does, PERSON, (person: string) => operator(cli).users.update(person, change))
  addSwitch('activate', { active: true }, 'let a person in again')
  remove(
    'deactivate <person>',
    'let a person in no more, and end the sessions and what they made that lets people in',
    `${PERSON} --revoke-keys all --yes`,
    (person: string, _options: RevokeKeysOptions) => [
      `The sessions of ${person} end, and the links that they made. \`greenroom users activate\` only lets them sign in again.`,
    ],
    async (person, { revokeKeys }) => {
      const { users } = operator(cli)
      const keys = revokeKeys === 'all' ? revokeKeys : revokeKeys?.split(',')
      const changed = await users.update(person, { active: false, ...(keys && { revokeKeys: keys }) })
      const { keys: live } = await users.grants(person)
      noteLiveKeys(cli, live, () => `greenroom users deactivate ${person} --revoke-keys all --yes`)
      return changed
    },
  ).addOption(revokeKeysOption())
  remove(
    'delete <person>',
    'delete an account for good: name, mail address, ways in, memberships; histories keep its id',
    `${PERSON} --revoke-keys all --yes`,
    (person: string, _options: RevokeKeysOptions) => [
      `The account ${person} goes, with its name, mail address, ways in, memberships and inboxes.`,
      'Histories and discussions then name a deleted account. The mail address can be invited again, to another account.',
    ],
    (person: string, options: RevokeKeysOptions) => deleteAccount(cli, person, options),
  ).addOption(revokeKeysOption())
  addSwitch('make-owner', { owner: true }, 'let a person do what the operator token does')
  remove(
    'unmake-owner <person>',
    'take that back, and end the operator tokens and the links that they made by it',
    `${PERSON} --yes`,
    (person: string) => [
      `${person} is no owner of the server any more; the operator tokens and the links that they made by it end.`,
    ],
    (person) => operator(cli).users.update(person, { owner: false }),
  )
  const vouch = 'vouch that the mail address is theirs, where no mail and no provider has shown it'
  addSwitch('confirm-mail', { mailProven: true }, vouch)

  addSessions(program, cli)
}

function addSessions(program: Command, cli: Cli): void {
  const sessions = groupOf(program, cli, 'sessions', 'where a person is signed in')
  const recent = 'list the sessions of a person, the most recently seen first'
  sessions.list('list <person>', recent, PERSON, SESSIONS, (person: string) => operator(cli).users.sessions(person))
  sessions.remove(
    'end <person>',
    'sign a person out everywhere',
    `${PERSON} --yes`,
    (person: string) => [`${person} is signed out everywhere, and loses what is not saved there.`],
    (person) => operator(cli).users.endSessions(person),
    'The person can sign in again: `greenroom users deactivate` prevents that.',
  )
}

/** The account takes the list of its keys along, so that is read before. */
async function deleteAccount(cli: Cli, person: string, { revokeKeys }: RevokeKeysOptions): Promise<RemovedMember> {
  const { users } = operator(cli)
  const { keys } = await users.grants(person)
  const deleted = await users.delete(person, revokeKeys === undefined ? {} : { revokeKeys })
  const live = keys.filter(({ id }) => !deleted.ended.keys.includes(id))
  noteLiveKeys(cli, live, ({ id, organizationId }) => `greenroom keys revoke ${organizationId} ${id}`)
  return deleted
}
