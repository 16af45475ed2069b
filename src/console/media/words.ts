import type { Media } from '../../interface/generated/types.ts'
import type { PostStatus } from '../../interface/post-status.ts'
import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'

const { number } = common

/** These texts are about the library of uploaded files. */
export const words = {
  title: 'Library',
  lead: 'Pictures and videos that were uploaded here, the newest first.',
  off: 'This server takes no uploads: posts use files that are on the web already.',
  kind: 'Show',
  kinds: { '': 'Everything', IMAGE: 'Pictures', VIDEO: 'Videos' },
  search: 'Name contains',
  files: 'Files',
  unnamed: (mediaType: Media['mediaType'], time: string): string =>
    `${mediaType === 'VIDEO' ? 'Video' : 'Picture'} of ${time}`,
  facts: ({ contentType, width, height, bytes }: Media): string =>
    `${postWords.fileKind(contentType)}, ${number(width)} × ${number(height)}, ${postWords.fileSize(bytes)}`,
  uploaded: (time: string): string => `Uploaded ${time}`,
  usedBy: 'Used by',
  post: 'a post',
  inStatus: (status: PostStatus): string => `(${common.status[status].toLowerCase()})`,
  unused: 'No post uses it.',
  inUse: 'It cannot be deleted while a post that uses it waits for approval, is scheduled or is being published.',
  delete: 'Delete',
  deleteTitle: (name: string): string => `Delete ${name}?`,
  deleteUnused: 'This cannot be undone.',
  deleteUsed:
    'This cannot be undone. What is published keeps its copy. A draft that uses the file needs another one; a post that failed cannot be tried again without it.',
  deleted: (name: string): string => `${name} is deleted.`,
  emptyTitle: 'No files here',
  empty: 'Files that you upload in a post appear here.',
  emptyFilter: 'No file matches. Choose another filter.',
  pages: 'Pages',
  newest: 'Newest',
  older: 'Older',
  choose: 'Choose from the library…',
  chooseTitle: 'Choose a picture or video',
  asPage: 'Open the library as a page',
}
