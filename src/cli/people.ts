import type { Command } from 'commander'
import type { NewPersonLink } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { deleteAll } from './removal.js'

export function addPeople(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'people', 'the people of conversations, by their cuid')

  remove(
    'erase <organization> <cuid>',
    'erase a person from every channel of an organization, and from later imports',
    'org_5V3kPq cu_1001 --yes',
    (organization: string, cuid: string) => [
      `Every conversation of ${cuid} goes from every channel of ${organization}, with its VIP marks; imports leave it out from now on.`,
    ],
    (organization, cuid) =>
      deleteAll(cli, ['conversations', 'vipMarks'], () => operator(cli).people.erase(organization, cuid)),
  )

  print(
    'readmit <organization> <cuid>',
    'let imports bring an erased person back',
    'org_5V3kPq cu_1001',
    (organization: string, cuid: string) => operator(cli).people.readmit(organization, cuid),
  )

  print(
    'show <organization> <cuid>',
    'show all that is known of a person: conversations, purchases, ids, profile',
    'org_5V3kPq cu_1001',
    (organization: string, cuid: string) => operator(cli).people.get(organization, cuid),
  )
  list(
    'search <organization> <text>',
    'find people by the beginning of a name, or by a whole id',
    'org_5V3kPq ada',
    { columns: ['cuid', 'channelId', 'conversationId', 'firstName', 'lastName', 'userName'], noun: 'conversations' },
    (organization: string, search: string) => operator(cli).people.searchAll(organization, { search }),
  )
  print(
    'link <organization> <cuid> <kind> <id>',
    'link an id of a shop or an app to a person: userId, anonymousId, shopify or woocommerce',
    'org_5V3kPq cu_1001 shopify 207119551',
    (organization: string, cuid: string, kind: NewPersonLink['kind'], id: string) =>
      operator(cli).people.link(organization, cuid, { kind, id }),
  )
  print(
    'unlink <organization> <cuid> <kind> <id>',
    'unlink an id from a person; what was bought with it waits again',
    'org_5V3kPq cu_1001 shopify 207119551',
    (organization: string, cuid: string, kind: string, id: string) =>
      operator(cli).people.unlink(organization, cuid, kind, id),
  )
}
