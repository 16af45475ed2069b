import type { Command } from 'commander'
import { callOperator, path } from './http.js'
import { readJsonObject } from './input.js'
import { type Cli, example } from './io.js'
import { printJson, printList, type Row } from './output.js'

interface SavedSuperpower extends Row {
  superpower: { hashtag?: string }
}

export function addSuperpowers(program: Command, cli: Cli): void {
  const superpowers = program.command('superpowers').description('the saved superpowers that posts may name')

  superpowers
    .command('create <organization> <name>')
    .description('save a superpower')
    .requiredOption('--data <json>', 'the superpower: JSON, @file, or - for stdin')
    .addHelpText('after', example("greenroom superpowers create org_5V3kPq 'Raffle' --data @raffle.json"))
    .action(async (organization: string, name: string, { data }: { data: string }) => {
      const superpower = await readJsonObject(cli, data, '--data')
      printSuperpowers(
        cli,
        await callOperator<SavedSuperpower>(cli, 'POST', path`/organizations/${organization}/superpowers`, {
          name,
          superpower,
        }),
      )
    })

  superpowers
    .command('list <organization>')
    .description('list the saved superpowers, those no longer offered too')
    .addHelpText('after', example('greenroom superpowers list org_5V3kPq'))
    .action(async (organization: string) =>
      printSuperpowers(
        cli,
        await callOperator<SavedSuperpower[]>(cli, 'GET', path`/organizations/${organization}/superpowers`),
      ),
    )

  superpowers
    .command('deactivate <organization> <superpower>')
    .description('offer a saved superpower no longer; posts that have it keep it')
    .addHelpText('after', example('greenroom superpowers deactivate org_5V3kPq template_4Rt8Qs'))
    .action(async (organization: string, id: string) =>
      printSuperpowers(
        cli,
        await callOperator<SavedSuperpower>(cli, 'DELETE', path`/organizations/${organization}/superpowers/${id}`),
      ),
    )
}

/** A superpower is too large for a line: its hashtag stands for it. */
function printSuperpowers(cli: Cli, found: SavedSuperpower | SavedSuperpower[]): void {
  if (cli.asJson()) {
    printJson(cli, found)
    return
  }
  const rows = [found].flat().map(({ superpower, ...row }) => ({ ...row, hashtag: superpower.hashtag }))
  printList(cli, rows, ['creativeTemplateId', 'active', 'hashtag', 'name'], 'superpowers')
}
