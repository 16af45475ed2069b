import type { Command } from 'commander'
import type { SegmentConditions } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { readJsonObject } from './input.js'
import type { Cli } from './io.js'

const ABOUT = 'the conditions: JSON, @file, or - for stdin'

export function addSegments(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'segments', 'the saved segments of an audience')
  const readConditions = (data: string) => readJsonObject(cli, data, '--conditions') as Promise<SegmentConditions>

  print(
    'create <organization> <name>',
    'save a segment: people with a value above, without a purchase for days, with a birthday soon, VIPs or not',
    `org_5V3kPq 'Best and quiet' --conditions '{"valueAbove":500,"noPurchaseForDays":90}'`,
    async (organization: string, name: string, { conditions }: { conditions: string }) =>
      operator(cli).segments.create(organization, { name, conditions: await readConditions(conditions) }),
  ).requiredOption('--conditions <json>', ABOUT)

  list(
    'list <organization>',
    'list the saved segments',
    'org_5V3kPq',
    {
      columns: ['id', 'name', 'conditions'],
      noun: 'segments',
      toRow: ({ conditions, ...row }) => ({ ...row, conditions: JSON.stringify(conditions) }),
    },
    (organization: string) => operator(cli).segments.list(organization),
  )

  print(
    'update <organization> <segment>',
    'give a segment another name or other conditions',
    "org_5V3kPq seg_4Rt8Qs --name 'Best customers'",
    async (organization: string, id: string, { name, conditions }: { name?: string; conditions?: string }) =>
      operator(cli).segments.update(organization, id, {
        ...(name === undefined ? {} : { name }),
        ...(conditions === undefined ? {} : { conditions: await readConditions(conditions) }),
      }),
  )
    .option('--name <name>', 'another name')
    .option('--conditions <json>', `${ABOUT}; they replace all that it had`)

  remove(
    'delete <organization> <segment>',
    'delete a segment; the people stay',
    'org_5V3kPq seg_4Rt8Qs --yes',
    (_: string, id: string) => [`The segment ${id} goes; the people stay.`],
    (organization, id) => operator(cli).segments.delete(organization, id),
  )
}
