import { type Command, Option } from 'commander'
import type { DiscussionActor, DiscussionChange, DiscussionMessage } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { addTo, definedOnly, readData } from './input.js'
import type { Cli } from './io.js'
import type { ListView } from './output.js'

const POST = 'org_5V3kPq post_9Xw2Kd'
const MESSAGE = `${POST} msg_3Kd8Wz`

const nameOf = ({ name, type }: DiscussionActor): string => name ?? type

const MESSAGES: ListView<DiscussionMessage> = {
  columns: ['id', 'replyTo', 'createdAt', 'author', 'text', 'state'],
  spare: ['createdAt', 'replyTo'],
  noun: 'messages',
  toRow: ({ author, ...message }) => ({ ...message, author: nameOf(author), state: stateOf(message) }),
}
const CHANGES: ListView<DiscussionChange> = {
  columns: ['at', 'actor', 'action', 'messageId', 'shared'],
  spare: ['shared'],
  noun: 'changes',
  toRow: ({ actor, ...change }) => ({ ...change, actor: nameOf(actor) }),
}

type State = Pick<DiscussionMessage, 'deletedAt' | 'resolvedAt' | 'editedAt'>
const stateOf = ({ deletedAt, resolvedAt, editedAt }: State): string | undefined =>
  deletedAt ? 'deleted' : resolvedAt ? 'resolved' : editedAt && 'edited'

/** The commands of what people say about a post before it is published. */
export function addDiscussions(program: Command, cli: Cli): void {
  const group = groupOf<DiscussionMessage>(program, cli, 'discussions', 'what people say to each other about a post')
  const { print, list, remove } = group
  const discussions = () => operator(cli).discussions

  list(
    'list <organization> <post>',
    'list the messages, in the order in which they were written',
    POST,
    MESSAGES,
    (organization: string, post: string) => discussions().listAll(organization, post),
  )

  addWriting(cli, group)

  remove(
    'delete <organization> <post> <message>',
    'delete a message; one with replies stays as deleted, without its text',
    `${MESSAGE} --yes`,
    (_: string, __: string, message: string) => [`The text of the message ${message} goes for good.`],
    (organization, post, message) => discussions().delete(organization, post, message),
  )

  print(
    'resolve <organization> <post> <message>',
    'mark the thread of a message as resolved',
    MESSAGE,
    (organization: string, post: string, message: string) => discussions().resolve(organization, post, message),
  )
  print(
    'reopen <organization> <post> <message>',
    'open the thread of a message again',
    MESSAGE,
    (organization: string, post: string, message: string) => discussions().reopen(organization, post, message),
  )

  list(
    'history <organization> <post>',
    'list who wrote, edited, deleted, resolved and reopened messages, oldest first',
    POST,
    CHANGES,
    (organization: string, post: string) => discussions().historyAll(organization, post),
  )
}

interface WrittenOptions {
  text: string
  mention?: string[]
}

/** The commands that take a text. */
function addWriting(cli: Cli, { print }: ReturnType<typeof groupOf<DiscussionMessage>>): void {
  // A message may begin with @ and a name: here that is no file.
  const read = async ({ text, mention }: WrittenOptions) => ({
    text: text === '-' ? (await readData(cli, text)).toString() : text,
    ...definedOnly({ mentions: mention }),
  })
  const withText = (command: Command): Command =>
    command
      .requiredOption('--text <text>', 'the message: itself, or - for stdin')
      .option('--mention <person>', 'tell this member of it; may be repeated', addTo)

  withText(
    print(
      'write <organization> <post>',
      'write a message, or a reply, which opens a resolved thread again',
      `${POST} --text 'Is the price right?'`,
      async (
        organization: string,
        post: string,
        { replyTo, shared, ...written }: WrittenOptions & { replyTo?: string; shared?: true },
      ) => {
        const message = { ...(await read(written)), ...definedOnly({ replyTo, shared }) }
        return operator(cli).discussions.create(organization, post, message)
      },
    ),
  )
    .option('--reply-to <message>', 'a message of the thread')
    .addOption(new Option('--shared', 'show the thread to people with a review link').conflicts('replyTo'))

  withText(
    print(
      'edit <organization> <post> <message>',
      'replace the text and the mentions of a message that this token has written',
      `${MESSAGE} --text 'Is the new price right?'`,
      async (organization: string, post: string, message: string, written: WrittenOptions) =>
        operator(cli).discussions.update(organization, post, message, await read(written)),
    ),
  )
}
