import type { Command } from 'commander'
import type { OrganizationPatch } from '../client/index.js'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { collect, printLine, printList, printObject } from './output.js'
import { addSureOption, confirmByName, deleteAll, type SureOption } from './removal.js'

export function addOrganizations(program: Command, cli: Cli): void {
  const organizations = program.command('organizations').description('the tenants of the server')

  organizations
    .command('create <name>')
    .description('create an organization')
    .option('--quiet', 'print only its id')
    .addHelpText('after', example("greenroom organizations create 'Café Lumière'"))
    .action(async (name: string, { quiet }: { quiet?: true }) => {
      const organization = await operator(cli).organizations.create({ name })
      if (quiet) printLine(cli, organization.id)
      else printObject(cli, organization)
    })

  organizations
    .command('list')
    .description('list all organizations')
    .addHelpText('after', example('greenroom organizations list'))
    .action(async () => {
      const rows = await collect(operator(cli).organizations.listAll())
      printList(cli, rows, { columns: ['id', 'active', 'createdAt', 'name'], noun: 'organizations' })
    })

  organizations
    .command('rename <organization> <name>')
    .description('give an organization another name')
    .addHelpText('after', example("greenroom organizations rename org_5V3kPq 'Café Aurore'"))
    .action(async (id: string, name: string) =>
      printObject(cli, await operator(cli).organizations.update(id, { name })),
    )

  const addSwitch = (verb: string, change: OrganizationPatch, description: string): void => {
    organizations
      .command(`${verb} <organization>`)
      .description(description)
      .addHelpText('after', example(`greenroom organizations ${verb} org_5V3kPq`))
      .action(async (id: string) => printObject(cli, await operator(cli).organizations.update(id, change)))
  }
  addSwitch('activate', { active: true }, 'accept the keys of an organization again')
  addSwitch('deactivate', { active: false }, 'refuse every call with a key of an organization (402)')
  addSwitch(
    'require-second-factor',
    { requireSecondFactor: true },
    'let people in only with a session that has passed a second factor',
  )
  addSwitch('waive-second-factor', { requireSecondFactor: false }, 'let people in without a second factor again')

  addSureOption(organizations.command('delete <organization>'))
    .description('delete a deactivated organization with everything in it; its audit trail stays')
    .option('--name <name>', 'its name, for --yes')
    .addHelpText('after', example("greenroom organizations delete org_5V3kPq --yes --name 'Café Lumière'"))
    .action(async (id: string, options: SureOption & { name?: string }) => {
      const client = operator(cli)
      const goes = async (): Promise<string[]> => {
        const found = (await collect(client.organizations.listAll())).find((row) => row.id === id)
        // One whose deletion broke off is in no list.
        if (found === undefined) return [`${id} is not listed: a deletion that broke off is continued.`]
        const workspaces = await client.workspaces.list(id)
        const channels = await client.channels.list(id)
        return [
          `${found.name} (${id}) goes with its keys, ${workspaces.length} workspaces, ${channels.length} channels with their conversations, ad accounts, superpowers and posts.`,
        ]
      }
      const name = await confirmByName(cli, options.yes || !cli.stdin.isTTY ? [] : await goes(), options)
      await deleteAll(cli, ['conversations', 'posts'], () => client.organizations.delete(id, { name }))
    })
}
