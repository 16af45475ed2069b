import type { Command } from 'commander'
import { callOperator, path } from './http.js'
import { type Cli, example } from './io.js'
import { printList, printObject, type Row } from './output.js'

export function addOrganizations(program: Command, cli: Cli): void {
  const organizations = program.command('organizations').description('the tenants of the server')

  organizations
    .command('create <name>')
    .description('make an organization')
    .addHelpText('after', example("greenroom organizations create 'Café Lumière'"))
    .action(async (name: string) => printObject(cli, await callOperator(cli, 'POST', '/organizations', { name })))

  organizations
    .command('list')
    .description('list all organizations')
    .addHelpText('after', example('greenroom organizations list'))
    .action(async () => {
      const rows = await callOperator<Row[]>(cli, 'GET', '/organizations')
      printList(cli, rows, ['id', 'active', 'createdAt', 'name'], 'organizations')
    })

  const addSwitch = (verb: string, active: boolean, description: string): void => {
    organizations
      .command(`${verb} <organization>`)
      .description(description)
      .addHelpText('after', example(`greenroom organizations ${verb} org_5V3kPq`))
      .action(async (id: string) =>
        printObject(cli, await callOperator(cli, 'PATCH', path`/organizations/${id}`, { active })),
      )
  }
  addSwitch('activate', true, 'let the keys of an organization in again')
  addSwitch('deactivate', false, 'refuse every call with a key of an organization (402)')
}
