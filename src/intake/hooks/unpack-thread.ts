import { doJobs } from '../../work/thread-program.js'
import { type NotUnpacked, type Unpacked, type UnpackJob, unpack } from './unpack.js'

doJobs<UnpackJob, Unpacked | NotUnpacked>((job) => {
  const result = unpack(job)
  if ('refused' in result) return { result }
  // A small buffer shares its memory with others, and cannot be moved.
  const body = Uint8Array.from(result.body)
  return { result: { ...result, body }, transfer: [body.buffer] }
})
