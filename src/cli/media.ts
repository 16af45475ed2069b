import type { Command } from 'commander'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import type { Cli } from './io.js'
import { sendFile } from './send-file.js'

const VIEW = {
  columns: ['id', 'contentType', 'width', 'height', 'bytes', 'createdAt', 'url'],
  spare: ['url', 'createdAt'],
  noun: 'files',
}

export function addMedia(program: Command, cli: Cli): void {
  const { print, list, remove } = groupOf(program, cli, 'media', 'uploaded images and videos for posts')

  print(
    'upload <organization> <file>',
    'upload an image or a video, or stdin with -, and show its URL',
    'org_5V3kPq spring.jpg',
    (organization: string, file: string) => {
      const { media } = operator(cli)
      const lost = 'Nothing was kept: send the file again.'
      return sendFile(cli, file, (content) => media.upload(organization, content), lost)
    },
  )

  print(
    'small-picture <organization> <media> <file>',
    'give an uploaded file its small picture for lists, a JPEG; that of a video is its poster',
    'org_5V3kPq media_7Tq2Wd poster.jpg',
    (organization: string, id: string, file: string) => {
      const { media } = operator(cli)
      const lost = 'Send it again.'
      return sendFile(cli, file, (content) => media.uploadSmallPicture(organization, id, content), lost)
    },
  )

  list('list <organization>', 'list the uploaded files, newest first', 'org_5V3kPq', VIEW, (organization: string) =>
    operator(cli).media.listAll(organization),
  )

  remove(
    'delete <organization> <media>',
    'delete an uploaded file that no post is waiting to publish',
    'org_5V3kPq media_7Tq2Wd --yes',
    (_: string, id: string) => [`The uploaded file ${id} goes.`],
    (organization, id) => operator(cli).media.delete(organization, id),
  )
}
