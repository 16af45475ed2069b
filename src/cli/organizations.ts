import type { Command } from 'commander'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { printList, printObject } from './output.js'

export function addOrganizations(program: Command, cli: Cli): void {
  const organizations = program.command('organizations').description('the tenants of the server')

  organizations
    .command('create <name>')
    .description('create an organization')
    .addHelpText('after', example("greenroom organizations create 'Café Lumière'"))
    .action(async (name: string) => printObject(cli, await operator(cli).organizations.create({ name })))

  organizations
    .command('list')
    .description('list all organizations')
    .addHelpText('after', example('greenroom organizations list'))
    .action(async () => {
      const rows = await operator(cli).organizations.list()
      printList(cli, rows, { columns: ['id', 'active', 'createdAt', 'name'], noun: 'organizations' })
    })

  const addSwitch = (verb: string, active: boolean, description: string): void => {
    organizations
      .command(`${verb} <organization>`)
      .description(description)
      .addHelpText('after', example(`greenroom organizations ${verb} org_5V3kPq`))
      .action(async (id: string) => printObject(cli, await operator(cli).organizations.update(id, { active })))
  }
  addSwitch('activate', true, 'accept the keys of an organization again')
  addSwitch('deactivate', false, 'refuse every call with a key of an organization (402)')
}
