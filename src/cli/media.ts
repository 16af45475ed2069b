import type { Command } from 'commander'
import type { Media } from '../client/index.js'
import { operator } from './client.js'
import { type Cli, example } from './io.js'
import { collect, type ListView, printList, printObject } from './output.js'
import { addSureOption, confirmRemoval, type SureOption } from './removal.js'
import { sendFile } from './send-file.js'

export function addMedia(program: Command, cli: Cli): void {
  const media = program.command('media').description('uploaded images and videos for posts')

  media
    .command('upload <organization> <file>')
    .description('upload an image or a video, or stdin with -, and show its URL')
    .addHelpText('after', example('greenroom media upload org_5V3kPq spring.jpg'))
    .action(async (organization: string, file: string) => {
      const lost = 'Nothing was kept: send the file again.'
      const send = operator(cli).media
      printObject(cli, await sendFile(cli, file, (content) => send.upload(organization, content), lost))
    })

  media
    .command('list <organization>')
    .description('list the uploaded files, newest first')
    .addHelpText('after', example('greenroom media list org_5V3kPq'))
    .action(async (organization: string) =>
      printList(cli, await collect(operator(cli).media.listAll(organization)), VIEW),
    )

  addSureOption(media.command('delete <organization> <media>'))
    .description('delete an uploaded file that no post is waiting to publish')
    .addHelpText('after', example('greenroom media delete org_5V3kPq media_7Tq2Wd --yes'))
    .action(async (organization: string, id: string, options: SureOption) => {
      await confirmRemoval(cli, [`The uploaded file ${id} goes.`], options)
      printObject(cli, await operator(cli).media.delete(organization, id))
    })
}

const VIEW: ListView<Media> = {
  columns: ['id', 'contentType', 'width', 'height', 'bytes', 'createdAt', 'url'],
  spare: ['url', 'createdAt'],
  noun: 'files',
  toRow: (row) => ({ ...row }),
}
