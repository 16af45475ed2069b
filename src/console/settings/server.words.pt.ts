import { common } from '../words.ts'
import type { words as english } from './server.words.ts'

const { count, number } = common

const GB = 1_000_000_000

const size = (bytes: number): string => `${number(Math.floor((bytes / GB) * 10) / 10)} GB`

export const words: typeof english = {
  health: 'Estado',
  states: { good: 'Bom', warning: 'Verifique', bad: 'Ruim', off: 'Não configurado' },
  database: 'Banco de dados',
  databaseOf: {
    pglite: 'Responde. É uma parte do Greenroom, no diretório de dados.',
    postgres: 'Responde. É um PostgreSQL.',
  },
  parts: {
    publisher: 'Publicação',
    intake: 'Entregas de lojas e aplicativos',
    mail: 'E-mails',
    media: 'Imagens e vídeos',
    platform: 'API da Meta',
  },
  publisher: {
    on_time: 'Os posts são publicados na hora.',
    late: 'Um post espera mais do que deveria. Veja o log do servidor.',
    stopped: 'Nenhum processo publica: inicie um com essa função.',
  },
  intake: {
    on_time: () => 'Todas as entregas foram aplicadas.',
    late: (many) => `${count(many, 'entrega')} em espera: o servidor que as aplica está funcionando?`,
    problems: (many) =>
      `${count(many, 'item', 'itens')} sem aplicar. Estão nas configurações de cada organização, em Fontes.`,
    unused: () => 'Nenhuma organização tem uma fonte.',
  },
  mail: {
    on_time: () => 'Os e-mails são enviados.',
    late: (many) => `${count(many, 'e-mail')} em espera, e nenhum processo os envia.`,
    failing: (many) =>
      `${count(many, 'e-mail')} sem enviar; haverá outra tentativa. “greenroom doctor” testa o servidor de e-mail.`,
    off: () => 'Ninguém recebe e-mails, e quem esquece a senha precisa de um link seu. SMTP_URL muda isso.',
  },
  media: {
    on: 'Arquivos podem ser enviados.',
    off: 'Arquivos não podem ser enviados. MEDIA_DIR muda isso.',
  },
  platform: {
    supported: (version) => `${version} está em uso.`,
    ending: (version, day) => `${version} termina em ${day}.`,
    ended: (version, day) => `${version} terminou em ${day}.`,
    unannounced: (version) => `Aqui não se sabe quando ${version} termina.`,
    newer: (version) => `${version} é mais nova que a tabela de versões.`,
    unknown: (version) => `${version} não está na tabela de versões.`,
  },
  newVersion: (newest) => `Atualize o Greenroom${newest ? ` ou configure GRAPH_VERSION=${newest}` : ''}.`,
  disks: {
    data: 'Disco dos dados',
    media: 'Disco de imagens e vídeos',
    backups: 'Disco dos backups',
    'audit-exports': 'Disco da atividade exportada',
  },
  disk: {
    room: (free, all) => `${size(free)} de ${size(all)} estão livres.`,
    low: (free, all) => `Só ${size(free)} de ${size(all)} estão livres: libere espaço.`,
    full: () => 'Está cheio, e nada pode ser gravado nele: libere espaço agora.',
    silent: () => 'Não responde. Está conectado?',
  },
  since: (distance) => `O mais antigo era para ${distance}.`,

  lastBackup: 'Último backup',
  noBackup: 'Ainda nenhum',
  madeAt: (time, distance) => `${time} (${distance})`,
  backupFile: (file, place) => (place === undefined ? file : `${file} em ${place}`),
  fetched: 'baixado por um programa como “greenroom backup”: aqui não se sabe onde ele está guardado',
  sameDisk: 'no mesmo disco que os dados: configure BACKUP_DIR em outro disco ou em um bucket',
  withoutKey: 'sem a chave mestra: guarde-a à parte',
  missingMedia: (many) => (many === 1 ? 'falta 1 arquivo' : `faltam ${count(many, 'arquivo')}`),
  backup: {
    made: 'O servidor faz backups por conta própria.',
    late: 'O último backup é mais antigo do que deveria. Veja o log do servidor.',
    incomplete: 'Faltam imagens ou vídeos no último backup. MEDIA_DIR está configurado onde os backups são feitos?',
    unusable: 'Nada pode ser gravado no lugar dos backups. Veja o log do servidor.',
    none: 'O primeiro é feito logo depois do início. Se não houver nenhum após uma hora, veja o log do servidor.',
    making: 'O primeiro está sendo feito.',
    fetched: 'Os backups são baixados por um programa.',
    off: 'O servidor não faz backups por conta própria, e nenhum foi baixado nos últimos dois dias: configure BACKUP_DIR, ou execute “greenroom backup” todo dia.',
  },

  masterKey: 'Chave mestra',
  masterKeyHint: 'Ela sela os segredos no banco de dados. O identificador não revela nada da chave.',
  otherSecrets: (many) =>
    many === 0
      ? 'Todos os segredos estão selados com esta chave.'
      : `${count(many, 'segredo')} com outra chave: uma rotação não terminou, ou eles não se abrem mais.`,
  lostSecrets: (many) =>
    `${count(many, 'segredo')} com uma chave que não está aqui: configure-a em MASTER_KEY_PREVIOUS, ou conecte de novo os canais e as contas de anúncios.`,
  rotate: 'Trocar',
  goOn: 'Continuar a troca',
  rotateTitle: 'Trocar a chave mestra?',
  rotateText:
    'Cada segredo é selado com uma chave nova enquanto o servidor funciona. Onde MASTER_KEY está configurada, inicie antes o servidor com a nova e com MASTER_KEY_PREVIOUS.',
  rotated: (resealed, unopened) =>
    unopened === 0
      ? `A chave mestra foi trocada: ${count(resealed, 'segredo')} com selo novo.`
      : `A chave mestra foi trocada: ${count(resealed, 'segredo')} com selo novo, e ${number(unopened)} que nenhuma das duas chaves abre. O log do servidor diz quais.`,

  lastSignIns: 'Últimos acessos',
  noSignIns: 'Ninguém entrou ainda.',
  signedIn: (time, browser, network) => `${time} · ${browser} · de ${network}`,
}
