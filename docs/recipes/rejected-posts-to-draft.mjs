// Moves every rejected post back to draft with a note: node rejected-posts-to-draft.mjs 'Autumn clean-up'
import { Greenroom, GreenroomError, PreconditionFailedError } from 'greenroom/client'

const { GREENROOM_URL = 'http://127.0.0.1:8080', GREENROOM_KEY, GREENROOM_SECRET } = process.env
const [note] = process.argv.slice(2)
if (!note) throw new Error('Say why: node rejected-posts-to-draft.mjs NOTE')

const client = new Greenroom({ baseUrl: `${GREENROOM_URL}/v1`, key: GREENROOM_KEY, secret: GREENROOM_SECRET })
// Read the whole list first: posts that move leave the list, and the next page would skip some.
const rejected = []
for await (const { id } of client.scheduledPosts.listAll({ status: 'REJECTED' })) rejected.push(id)

for (const id of rejected) {
  try {
    const { status, notes, etag } = await client.scheduledPosts.get(id)
    if (status !== 'REJECTED') continue
    // Keep the reviewer's words below the note. The etag protects concurrent changes.
    const change = { status: 'DRAFT', notes: [note, notes].filter(Boolean).join('\n\n') }
    await client.scheduledPosts.update(id, change, { ifMatch: etag })
    process.stdout.write(`${id} is a draft again\n`)
  } catch (error) {
    if (!(error instanceof GreenroomError)) throw error
    const reason = error instanceof PreconditionFailedError ? 'it was changed just now' : error.message
    process.stderr.write(`${id}: ${reason}\n`)
    process.exitCode = 1
  }
}
