import type { Command } from 'commander'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { printObject } from './output.js'
import { addSureOption, confirmRemoval, deleteAll, type SureOption } from './removal.js'

export function addPeople(program: Command, cli: Cli): void {
  const people = program.command('people').description('the people of conversations, by their cuid')

  addSureOption(people.command('erase <organization> <cuid>'))
    .description('erase a person from every channel of an organization, and from later imports')
    .addHelpText('after', example('greenroom people erase org_5V3kPq cu_1001 --yes'))
    .action(async (organization: string, cuid: string, options: SureOption) => {
      const goes = [
        `Every conversation of ${cuid} goes from every channel of ${organization}, with its VIP marks; imports leave it out from now on.`,
      ]
      await confirmRemoval(cli, goes, options)
      await deleteAll(cli, ['conversations', 'vipMarks'], () => operator(cli).people.erase(organization, cuid))
    })

  people
    .command('readmit <organization> <cuid>')
    .description('let imports bring an erased person back')
    .addHelpText('after', example('greenroom people readmit org_5V3kPq cu_1001'))
    .action(async (organization: string, cuid: string) =>
      printObject(cli, await operator(cli).people.readmit(organization, cuid)),
    )
}
