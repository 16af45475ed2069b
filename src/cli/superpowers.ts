import type { Command } from 'commander'
import type { SavedSuperpower } from '../client/index.js'
import { api, operator } from './client.js'
import { readJsonObject } from './input.js'
import { type Cli, example } from './io.js'
import { collect, type ListView, printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

export function addSuperpowers(program: Command, cli: Cli): void {
  const superpowers = program.command('superpowers').description('the saved superpowers that posts may name')

  superpowers
    .command('create <organization> <name>')
    .description('save a superpower')
    .requiredOption('--data <json>', 'the superpower: JSON, @file, or - for stdin')
    .addHelpText('after', example("greenroom superpowers create org_5V3kPq 'Raffle' --data @raffle.json"))
    .action(async (organization: string, name: string, { data }: { data: string }) => {
      const superpower = await readJsonObject(cli, data, '--data')
      printSuperpower(cli, await operator(cli).superpowers.create(organization, { name, superpower }))
    })

  superpowers
    .command('list [organization]')
    .description('list the saved superpowers; as the operator, deactivated ones too')
    .addHelpText('after', example('greenroom superpowers list org_5V3kPq'))
    .action(async (organization?: string) => {
      const found =
        organization === undefined ? api(cli).superpowers.listAll() : operator(cli).superpowers.listAll(organization)
      printList(cli, await collect(found), VIEW)
    })

  superpowers
    .command('rename <organization> <superpower> <name>')
    .description('give a saved superpower another name; posts that have it keep the one it had')
    .addHelpText('after', example("greenroom superpowers rename org_5V3kPq template_4Rt8Qs 'Spring raffle'"))
    .action(async (organization: string, id: string, name: string) =>
      printSuperpower(cli, await operator(cli).superpowers.update(organization, id, { name })),
    )

  const addSwitch = (verb: string, active: boolean, description: string): void => {
    superpowers
      .command(`${verb} <organization> <superpower>`)
      .description(description)
      .addHelpText('after', example(`greenroom superpowers ${verb} org_5V3kPq template_4Rt8Qs`))
      .action(async (organization: string, id: string) =>
        printSuperpower(cli, await operator(cli).superpowers.update(organization, id, { active })),
      )
  }
  addSwitch('activate', true, 'let posts name a saved superpower again')
  addSwitch('deactivate', false, 'deactivate a saved superpower; posts that have it keep it')

  addSureOption(superpowers.command('delete <organization> <superpower>'))
    .description('delete a saved superpower for good; posts that have it keep it')
    .addHelpText('after', example('greenroom superpowers delete org_5V3kPq template_4Rt8Qs --yes'))
    .action(async (organization: string, id: string, options: SureOption) => {
      await confirmRemoval(cli, [`The saved superpower ${id} goes; posts that have a copy keep it.`], options)
      printObject(cli, await operator(cli).superpowers.delete(organization, id))
    })
}

/** A superpower is too long for a line: its hashtag represents it. */
const VIEW: ListView<SavedSuperpower> = {
  columns: ['creativeTemplateId', 'active', 'hashtag', 'name'],
  noun: 'superpowers',
  toRow: ({ superpower, ...row }) => ({ ...row, hashtag: superpower.hashtag }),
}

function printSuperpower(cli: Cli, saved: SavedSuperpower): void {
  if (cli.format() === 'table') printList(cli, [saved], VIEW)
  else printObject(cli, saved)
}
