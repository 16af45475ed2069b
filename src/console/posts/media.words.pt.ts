import { common } from '../words.ts'
import type { mediaWords as english } from './media.words.ts'

const { number } = common

const mib = (size: number): string => `${number(Math.ceil(size))} MiB`

export const mediaWords: typeof english = {
  madeJpeg: 'O arquivo virou uma imagem JPEG, que todo canal aceita. O que a câmera anotou sobre o lugar foi retirado.',
  madeSmaller: 'A imagem foi reduzida, porque um canal não aceita arquivos do tamanho dela.',
  unreadable: (name = ''): string =>
    `Este navegador não consegue ler o arquivo${name} como imagem ou vídeo. Salve-o como JPEG, PNG, MP4 ou QuickTime e envie esse.`,
  gone: 'Não foi possível ler o arquivo. Recarregue a página e escolha-o de novo.',
  videoTooLarge: (is, max) =>
    `Este vídeo tem ${mib(is)}, e um canal escolhido aceita no máximo ${mib(max)}. Exporte-o menor: em 1080p quase sempre basta.`,
  preparing: (name) => `${name}: sendo preparado…`,
  altTextHint: 'Para as pessoas que não a veem. Ela sai com a imagem no Facebook e no Instagram.',
  aiGeneratedHint: 'O Instagram mostra “Informações de IA” no post; o Facebook não mostra nada.',
  fix: 'Transformar em uma imagem JPEG que sirva',
  crop: 'Recortar…',
  cropTitle: 'Recortar a imagem',
  cropped: 'A parte que fica',
  shape: 'Formato',
  shapes: { portrait: 'Retrato, 4:5', square: 'Quadrado, 1:1', wide: 'Largo, 1,91:1', whole: 'Como está' },
  zoom: 'Mais perto',
  across: 'Da esquerda para a direita',
  down: 'De cima para baixo',
  cropHint: 'Arraste a imagem ou mova os controles. O arquivo que você enviou fica na biblioteca.',
  cropSubmit: 'Usar esta parte',
}
