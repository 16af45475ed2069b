/** The jobs of src/work/thread.test.ts. */
import { threadId } from 'node:worker_threads'
import { doJobs } from '../../src/work/thread-program.js'

export interface TestJob {
  does: 'echo' | 'thread' | 'fail' | 'loop' | 'never' | 'fill' | 'parse' | 'exit' | 'crash'
  bytes?: Uint8Array
}

const held: unknown[] = []
/** One call parses it into many objects, and nothing can interrupt that call. */
const PARSED = `[${'[1,{"a":2}],'.repeat(300_000)}1]`

doJobs<TestJob, unknown>(({ does, bytes }) => {
  switch (does) {
    case 'echo':
      return { result: bytes, transfer: bytes === undefined ? [] : [bytes.buffer as ArrayBuffer] }
    case 'thread':
      return { result: threadId }
    case 'fail':
      throw Object.assign(new Error('no such thing'), { code: 'NOTHING' })
    case 'loop':
      for (;;);
    case 'never':
      return new Promise(() => {})
    case 'fill':
      for (;;) held.push(Array.from({ length: 1_000 }, (_, index) => ({ index })))
    case 'parse':
      for (;;) held.push(JSON.parse(PARSED))
    case 'exit':
      return process.exit()
    case 'crash':
      setImmediate(() => {
        throw new Error('crashed')
      })
      return new Promise(() => {})
  }
})
