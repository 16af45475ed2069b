import { Option } from 'commander'
import type { CommentEffect, Explanation, Superpower } from '../client/index.js'
import { api, operator } from './client.js'
import type { groupOf } from './command-group.js'
import { addTo, readJsonObject } from './input.js'
import { type Cli, CliError } from './io.js'
import { type ListView, note, printJson, printList } from './output.js'

interface Options {
  file?: string
  id?: string
  type: 'FB_PAGE' | 'INSTAGRAM_ACCOUNT'
  comment: string[]
}

/** Adds `explain` to a group of commands. */
export function addExplain({ add }: Pick<ReturnType<typeof groupOf>, 'add'>, cli: Cli): void {
  add(
    'explain [organization]',
    'tell what a superpower would do about comments, and what of it is not executed; nothing is sent',
    "org_5V3kPq --id template_4Rt8Qs --type FB_PAGE --comment 'I want it'",
    async (organization: string | undefined, options: Options) => {
      const superpower = await readSuperpower(cli, organization, options)
      const body = { superpower, channelType: options.type, comments: options.comment.map((text) => ({ text })) }
      const explanation = await (organization === undefined
        ? api(cli).superpowers.explain(body)
        : operator(cli).superpowers.explain(organization, body))
      if (['json', 'ndjson'].includes(cli.format())) printJson(cli, explanation)
      else printForPeople(cli, explanation)
    },
  )
    .option('--file <file>', 'the superpower: a file with its JSON, or - for stdin')
    .option('--id <id>', 'a saved superpower, by its creativeTemplateId')
    .addOption(
      new Option('--type <type>', 'the type of the channel')
        .choices(['FB_PAGE', 'INSTAGRAM_ACCOUNT'])
        .makeOptionMandatory(),
    )
    .option('--comment <text>', 'a comment, each of another person; may be repeated', addTo, [])
}

async function readSuperpower(cli: Cli, organization: string | undefined, { file, id }: Options): Promise<Superpower> {
  if ((file === undefined) === (id === undefined)) throw new CliError(2, 'Give either --file or --id.')
  if (file !== undefined) return await readJsonObject(cli, file === '-' ? file : `@${file}`, '--file')
  const saved =
    organization === undefined ? api(cli).superpowers.listAll() : operator(cli).superpowers.listAll(organization)
  for await (const { creativeTemplateId, superpower } of saved) if (creativeTemplateId === id) return superpower
  throw new CliError(1, `There is no saved superpower ${id}: see \`greenroom superpowers list\`.`)
}

/** The comments as a list, and the rest as remarks beside it. */
function printForPeople(cli: Cli, explanation: Explanation): void {
  const { comments, notExecuted, warnings } = explanation
  if (comments.length > 0) printList(cli, comments, VIEW)
  for (const { path, reason } of notExecuted) note(cli, `Not executed: ${path}. ${reason}`)
  for (const warning of warnings) note(cli, `Warning: ${warning}`)
}

const VIEW: ListView<Explanation['comments'][number]> = {
  columns: ['group', 'reason', 'raffle', 'comment', 'effects'],
  noun: 'comments',
  // Groups are counted from 1 here, as the sentences do.
  toRow: ({ group, reason, entersRaffle, text, effects }) => ({
    ...{ group: group === null ? null : group + 1, reason, raffle: entersRaffle, comment: text },
    effects: effects.map(tell).join('; '),
  }),
}

function tell({ effect, reason, text }: CommentEffect): string {
  const name = effect.replace('_', ' ')
  if (reason !== null) return `no ${name} (${reason})`
  return text === null ? name : `${name}: ${text}`
}
