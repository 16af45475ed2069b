import type { Command } from 'commander'
import type { NewSource, SourceWithSecrets } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { definedOnly, readSecret, toWholeNumber } from './input.js'
import { type Cli, CliError } from './io.js'
import { note, printObject } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'

interface AddOptions {
  name?: string
  secretFile?: string
  instagramSecretFile?: string
  valueFrom?: 'total' | 'revenue'
  countedStatuses?: string[]
  uncountedStatuses?: string[]
  keyIn?: 'server' | 'browser'
  trust?: 'full' | 'new_people' | 'times_only'
  perSecond?: number
}

interface RotateOptions extends SureOption {
  secretFile?: string
  verifyToken?: true
}

interface UpdateOptions extends Omit<AddOptions, 'secretFile' | 'keyIn'>, SureOption {
  removeInstagramSecret?: true
}

const TYPES = ['META', 'SHOPIFY', 'WOOCOMMERCE', 'EVENTS'] as const
const SECRET = { prompt: 'Secret of the other side', noun: 'secret' }
const KEPT = 'Keep what is secret here now: it is not shown again.'
const TRUST = 'EVENTS: how far its events are believed: full, new_people or times_only'
const COUNTED = 'WOOCOMMERCE: statuses that count without a date of payment, with commas; empty for no further ones'
const UNCOUNTED = 'WOOCOMMERCE: statuses that never count, with commas; empty for no further ones'
const PROBLEMS = { columns: ['id', 'at', 'topic', 'item', 'reason'], noun: 'problems' }
const SOURCES = {
  columns: ['id', 'type', 'name', 'trust', 'lastDeliveryAt', 'waiting', 'problems', 'refused', 'leftOut'],
  noun: 'sources',
}

const toList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** META and SHOPIFY give a secret; WOOCOMMERCE takes one from a file, or makes one. */
async function readOthersSecret(cli: Cli, type: string, file: string | undefined): Promise<string | undefined> {
  const isGiven = type === 'META' || type === 'SHOPIFY' || file !== undefined
  return isGiven ? await readSecret(cli, file, SECRET) : undefined
}

export function addSources(program: Command, cli: Cli): void {
  const { add, print, list, remove } = groupOf(program, cli, 'sources', 'what comes in from shops, apps and inboxes')
  const sources = () => operator(cli).sources
  const show = (answer: SourceWithSecrets): void => {
    printObject(cli, answer)
    if (answer.writeKey ?? answer.verifyToken ?? answer.secret) note(cli, KEPT)
  }

  add(
    'add <organization> <type>',
    'make a source: META, SHOPIFY, WOOCOMMERCE or EVENTS; keys that it makes are shown only now',
    'org_5V3kPq SHOPIFY --name "Our shop" < secret.txt',
    async (organization: string, given: string, options: AddOptions) => {
      const type = TYPES.find((name) => name === given.toUpperCase())
      if (type === undefined) throw new CliError(2, `The type is ${TYPES.join(', ')}, not "${given}".`)
      const { name = type, perSecond, valueFrom, keyIn, trust, secretFile, instagramSecretFile } = options
      const { countedStatuses, uncountedStatuses } = options
      const secret = await readOthersSecret(cli, type, secretFile)
      const instagramSecret =
        instagramSecretFile === undefined ? undefined : await readSecret(cli, instagramSecretFile, SECRET)
      const more = { valueFrom, countedStatuses, uncountedStatuses, keyIn, trust, deliveriesPerSecond: perSecond }
      const body = definedOnly({ type, name, secret, instagramSecret, ...more })
      show(await sources().create(organization, body as unknown as NewSource))
    },
  )
    .option('--name <name>', 'for people; the type unless said')
    .option('--secret-file <file>', 'a file with the secret that the other side signs with; else it is read from stdin')
    .option('--instagram-secret-file <file>', 'META: a file with the secret of the app of Instagram login')
    .option('--value-from <amount>', 'total (with shipping and tax) or revenue')
    .option('--counted-statuses <list>', COUNTED, toList)
    .option('--uncounted-statuses <list>', UNCOUNTED, toList)
    .option('--key-in <place>', 'EVENTS: server, or browser for a key that anyone can read; server unless said')
    .option('--trust <trust>', TRUST)
    .option('--per-second <number>', 'deliveries a second that are taken', toWholeNumber)
  list(
    'list <organization>',
    'list the sources, with what each did last',
    'org_5V3kPq',
    SOURCES,
    (organization: string) => sources().listAll(organization),
  )
  print(
    'show <organization> <source>',
    'show one source',
    'org_5V3kPq src_7Hc2Rt',
    (organization: string, id: string) => sources().get(organization, id),
  )
  const update = print(
    'update <organization> <source>',
    'change the name, the amount and statuses that count, the trust, the rate, or the secret of Instagram login',
    'org_5V3kPq src_7Hc2Rt --name "The shop"',
    async (
      organization: string,
      id: string,
      { perSecond, instagramSecretFile, removeInstagramSecret, yes, ...given }: UpdateOptions,
    ) => {
      if (removeInstagramSecret) {
        await confirmRemoval(cli, [`The secret of Instagram login of ${id} goes.`], definedOnly({ yes }))
      }
      const read = instagramSecretFile && (await readSecret(cli, instagramSecretFile, SECRET))
      const instagramSecret = removeInstagramSecret ? null : read
      const { name, valueFrom, countedStatuses, uncountedStatuses, trust } = given
      return await sources().update(
        organization,
        id,
        definedOnly({
          ...{ name, valueFrom, countedStatuses, uncountedStatuses, trust },
          ...{ deliveriesPerSecond: perSecond, instagramSecret },
        }),
      )
    },
  )
    .option('--instagram-secret-file <file>', 'META: a file with the secret of the app of Instagram login')
    .option('--remove-instagram-secret', 'META: that secret is accepted no longer')
    .option('--name <name>', 'for people')
    .option('--value-from <amount>', 'total (with shipping and tax) or revenue')
    .option('--counted-statuses <list>', COUNTED, toList)
    .option('--uncounted-statuses <list>', UNCOUNTED, toList)
    .option('--trust <trust>', TRUST)
    .option('--per-second <number>', 'deliveries a second that are taken', toWholeNumber)
  addSureOption(update, '--remove-instagram-secret')
  addRotate(cli, { add, show })
  remove(
    'remove <organization> <source>',
    'remove a source',
    'org_5V3kPq src_7Hc2Rt --yes',
    (_organization: string, id: string) => [
      `${id} takes no deliveries any more; those that wait and its problems go. Purchases and links that came by it stay.`,
    ],
    (organization, id) => sources().delete(organization, id),
  )
  list(
    'problems <organization> <source>',
    'list what could not be read or applied, latest first',
    'org_5V3kPq src_7Hc2Rt',
    PROBLEMS,
    (organization: string, id: string) => sources().problemsAll(organization, id),
  )
  print(
    'retry <organization> <source> <problem>',
    'apply a delivery that was a problem once more',
    'org_5V3kPq src_7Hc2Rt prb_9Lk3Tz',
    (organization: string, id: string, problem: string) => sources().retry(organization, id, problem),
  )
  remove(
    'dismiss <organization> <source> <problem>',
    'delete a problem, with its body',
    'org_5V3kPq src_7Hc2Rt prb_9Lk3Tz --yes',
    (_organization: string, _id: string, problem: string) => [`${problem} goes, with what was delivered.`],
    (organization, id, problem) => sources().dismiss(organization, id, problem),
  )
}

function addRotate(
  cli: Cli,
  { add, show }: Pick<ReturnType<typeof groupOf>, 'add'> & { show(answer: SourceWithSecrets): void },
): void {
  const sources = () => operator(cli).sources
  const rotate = add(
    'rotate <organization> <source>',
    'replace the secret or write key; the one before is accepted for another hour',
    'org_5V3kPq src_7Hc2Rt --yes',
    async (organization: string, id: string, options: RotateOptions) => {
      const { secretFile, verifyToken } = options
      const { type } = await sources().get(organization, id)
      const isTokenAlone = verifyToken === true && secretFile === undefined
      const goes = isTokenAlone
        ? `${id} gets another verify token; the one before ends at once.`
        : `${id} gets another secret; the one before is accepted for another hour, and then no more.`
      await confirmRemoval(cli, [goes], options)
      const secret = isTokenAlone ? undefined : await readOthersSecret(cli, type, secretFile)
      show(await sources().rotateSecret(organization, id, definedOnly({ secret, renewVerifyToken: verifyToken })))
    },
  )
    .option('--secret-file <file>', 'META and SHOPIFY: a file with the new secret; else it is read from stdin')
    .option('--verify-token', 'META: make another verify token; alone it leaves the secret as it is')
  addSureOption(rotate)
}
