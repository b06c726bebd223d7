// The page gets one variable of the environment, the project's address. It is public; nothing else may be.
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

const { SALLYPORT_URL, PORT = '3000' } = process.env
if (!SALLYPORT_URL) throw new Error('Set SALLYPORT_URL to the address of your project. See README.md.')

export default defineConfig({
  plugins: [vue()],
  define: { 'import.meta.env.SALLYPORT_URL': JSON.stringify(SALLYPORT_URL) },
  server: { port: Number(PORT), strictPort: true },
})
