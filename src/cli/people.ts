import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { deleteAll } from './removal.js'

export function addPeople(program: Command, cli: Cli): void {
  const { print, remove } = groupOf(program, cli, 'people', 'the people of conversations, by their cuid')

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
}
