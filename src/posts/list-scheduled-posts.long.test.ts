import './list-scheduled-posts.test.js'
