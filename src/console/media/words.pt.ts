import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

export const words: typeof english = {
  title: 'Biblioteca',
  lead: 'Imagens e vídeos enviados aqui, do mais recente ao mais antigo.',
  off: 'Este servidor não recebe arquivos: as publicações usam os que já estão na web.',
  kind: 'Mostrar',
  kinds: { '': 'Tudo', IMAGE: 'Imagens', VIDEO: 'Vídeos' },
  search: 'O nome contém',
  files: 'Arquivos',
  unnamed: (mediaType, time) => `${mediaType === 'VIDEO' ? 'Vídeo' : 'Imagem'} de ${time}`,
  facts: ({ contentType, width, height, bytes }) =>
    `${postWords.fileKind(contentType)}, ${number(width)} × ${number(height)}, ${postWords.fileSize(bytes)}`,
  uploaded: (time) => `Enviado ${time}`,
  usedBy: 'Usado por',
  post: 'uma publicação',
  inStatus: (status) => `(${common.status[status].toLowerCase()})`,
  unused: 'Nenhuma publicação o usa.',
  inUse:
    'Não pode ser excluído enquanto uma publicação que o usa aguarda aprovação, está agendada ou está sendo publicada.',
  delete: 'Excluir',
  deleteTitle: (name) => `Excluir ${name}?`,
  deleteUnused: 'Isto não pode ser desfeito.',
  deleteUsed:
    'Isto não pode ser desfeito. O que está publicado fica com a própria cópia. Um rascunho que usa o arquivo precisa de outro; uma publicação que falhou não pode ser tentada de novo sem ele.',
  deleted: (name) => `${name} foi excluído.`,
  emptyTitle: 'Não há arquivos aqui',
  empty: 'Os arquivos que você envia em uma publicação aparecem aqui.',
  emptyFilter: 'Nenhum arquivo corresponde. Escolha outro filtro.',
  pages: 'Páginas',
  newest: 'Mais recentes',
  older: 'Mais antigos',
  choose: 'Escolher da biblioteca…',
  chooseTitle: 'Escolher uma imagem ou um vídeo',
  asPage: 'Abrir a biblioteca como página',
}
