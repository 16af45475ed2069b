import type { Command } from 'commander'
import type { PersonPatch } from '../interface/people.js'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { printLink } from './link.js'
import { noteLiveKeys, type RevokeKeysOptions, revokeKeysOption } from './live-keys.js'
import { note, printList, printObject } from './output.js'

export function addUsers(program: Command, cli: Cli): void {
  const users = program.command('users').description('the people who sign in: their accounts on the server')

  users
    .command('list')
    .description('list everyone who has an account')
    .addHelpText('after', example('greenroom users list'))
    .action(async () => {
      const rows = await operator(cli).users.list()
      printList(cli, rows, {
        columns: ['id', 'owner', 'active', 'secondFactor', 'createdAt', 'mail', 'mailProven', 'name'],
        spare: ['createdAt'],
        noun: 'accounts',
      })
    })

  users
    .command('invite-owner')
    .description('print the link by which a person becomes an owner of the server: it works once, for an hour')
    .addHelpText('after', example('greenroom users invite-owner'))
    .action(async () => printLink(cli, await operator(cli).users.inviteOwner()))

  users
    .command('sign-in-link <person>')
    .description('print a link that lets a person in, such as one who forgot the password: once, for 15 minutes')
    .addHelpText('after', example('greenroom users sign-in-link usr_4Tb9Wn'))
    .action(async (person: string) => printLink(cli, await operator(cli).users.createSignInLink(person)))

  users
    .command('reset-second-factor <person>')
    .description('remove the passkeys, the authenticator app and the recovery codes of a person, and end the sessions')
    .addHelpText('after', example('greenroom users reset-second-factor usr_4Tb9Wn'))
    .action(async (person: string) => {
      printObject(cli, await operator(cli).users.resetSecondFactors(person))
      note(cli, 'The first factor alone lets the person in again: make sure who asked for this.')
    })

  const addSwitch = (verb: string, change: PersonPatch, description: string): void => {
    users
      .command(`${verb} <person>`)
      .description(description)
      .addHelpText('after', example(`greenroom users ${verb} usr_4Tb9Wn`))
      .action(async (person: string) => printObject(cli, await operator(cli).users.update(person, change)))
  }
  addSwitch('activate', { active: true }, 'let a person in again')
  users
    .command('deactivate <person>')
    .description('let a person in no more, and end the sessions and what they made that lets people in')
    .addOption(revokeKeysOption())
    .addHelpText('after', example('greenroom users deactivate usr_4Tb9Wn --revoke-keys all'))
    .action(async (person: string, { revokeKeys }: RevokeKeysOptions) => {
      const keys = revokeKeys === 'all' ? revokeKeys : revokeKeys?.split(',')
      printObject(cli, await operator(cli).users.update(person, { active: false, ...(keys && { revokeKeys: keys }) }))
      const { keys: live } = await operator(cli).users.grants(person)
      noteLiveKeys(cli, live, () => `greenroom users deactivate ${person} --revoke-keys all`)
    })
  addSwitch('make-owner', { owner: true }, 'let a person do what the operator token does')
  addSwitch('unmake-owner', { owner: false }, 'take that back')
  addSwitch(
    'confirm-mail',
    { mailProven: true },
    'vouch that the mail address is theirs, where no mail and no provider has shown it',
  )

  const sessions = program.command('sessions').description('where a person is signed in')

  sessions
    .command('list <person>')
    .description('list the sessions of a person, the most recently seen first')
    .addHelpText('after', example('greenroom sessions list usr_4Tb9Wn'))
    .action(async (person: string) => {
      const rows = await operator(cli).users.sessions(person)
      const columns = ['id', 'method', 'createdAt', 'lastSeenAt', 'address', 'expiresAt', 'userAgent']
      printList(cli, rows, { columns, spare: ['createdAt', 'expiresAt'], noun: 'sessions' })
    })

  sessions
    .command('end <person>')
    .description('sign a person out everywhere')
    .addHelpText('after', example('greenroom sessions end usr_4Tb9Wn'))
    .action(async (person: string) => {
      const { ended } = await operator(cli).users.endSessions(person)
      printObject(cli, { ended })
      note(cli, 'The person can sign in again: `greenroom users deactivate` prevents that.')
    })
}
