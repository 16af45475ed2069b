import { type messages, type PGlite, parse, protocol, type Results } from '@electric-sql/pglite'
import { Parser } from 'pg-protocol/dist/parser.js'
import { StatementNames } from '../statement-names.js'

const { serialize } = protocol

/** A statement that the engine has prepared. */
interface Prepared {
  name: string
  parameterTypes: number[]
  /** The columns of its rows; undefined if it returns none. */
  rowDescription: messages.BackendMessage | undefined
}

/**
 * Runs statements that the engine prepares when it first meets them. PGlite's own query() plans each one every time, in six
 * engine calls instead of one: a lookup by key takes three times as long. Calls run one at a time (`runExclusive`).
 */
export class Statements {
  /** Prepared statements by their text. */
  #prepared = new Map<string, Prepared>()
  #names = new StatementNames()

  constructor(private readonly pglite: PGlite) {}

  async run(text: string, values: readonly unknown[]): Promise<Results<unknown>> {
    const { name, parameterTypes, rowDescription } = this.#prepared.get(text) ?? (await this.#prepare(text))
    const bound = values.map((value, index) => this.#serialize(value, parameterTypes[index]))
    const answers = await this.#call([
      serialize.bind({ statement: name, values: bound }),
      serialize.execute({}),
      serialize.sync(),
    ])
    return this.#parse(rowDescription === undefined ? answers : [rowDescription, ...answers]).at(-1)!
  }

  /** Runs several statements without values; returns the result of the last. */
  async runScript(text: string): Promise<Results<unknown>> {
    const answers = await this.#call([serialize.query(text)])
    // It may have changed the schema, and with it the result of a prepared statement, which PostgreSQL would refuse.
    if (this.#prepared.size > 0) {
      await this.#call([serialize.query('deallocate all')])
      this.#prepared = new Map()
      this.#names = new StatementNames()
    }
    return this.#parse(answers).at(-1)!
  }

  async #prepare(text: string): Promise<Prepared> {
    // The engine plans unnamed statements every time.
    const name = this.#names.nameOf(text) ?? ''
    const answers = await this.#call([
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    ])
    const prepared = {
      name,
      parameterTypes: parse.parseDescribeStatementResults(answers),
      rowDescription: answers.find((answer) => answer.name === 'rowDescription'),
    }
    if (name !== '') this.#prepared.set(text, prepared)
    return prepared
  }

  /** Sends messages together. Throws the database's error. */
  async #call(sent: Uint8Array[]): Promise<messages.BackendMessage[]> {
    // The engine overwrites its memory, so the responses are copied. An error must not leave the engine by a throw, so they
    // are parsed afterwards.
    const chunks: Buffer[] = []
    const onRawData = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk))
    await this.pglite.execProtocolRawStream(Buffer.concat(sent), { syncToFs: false, onRawData })
    return readAnswers(chunks)
  }

  #serialize(value: unknown, type: number | undefined): string | Uint8Array | null {
    if (value === null || value === undefined) return null
    // Bytes are sent as they are: PGlite's serializer converts each to text, which takes a second for 2 MB.
    if (value instanceof Uint8Array) return value
    const serializer = this.pglite.serializers[type!]
    return serializer === undefined ? String(value) : serializer(value)
  }

  #parse(answers: messages.BackendMessage[]): Results<unknown>[] {
    return parse.parseResults(answers, this.pglite.parsers)
  }
}

/**
 * Reads the engine's answers with pg's parser, so that both engines are read alike: PGlite's own parser drops a U+FEFF at
 * the start of every text. Throws the first error among them.
 */
function readAnswers(chunks: readonly Buffer[]): messages.BackendMessage[] {
  const parser = new Parser()
  const answers: messages.BackendMessage[] = []
  for (const chunk of chunks) parser.parse(chunk, (answer) => answers.push(answer as messages.BackendMessage))
  const error = answers.find((answer) => answer instanceof Error)
  if (error !== undefined) throw error
  return answers
}
