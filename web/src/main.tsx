import "./noCodeFromText";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { SignIn } from "./auth/signIn";
import { App } from "./components/App";
import { Otherwise } from "./components/Otherwise";
import "./styles/colours.css";
import "./styles/controls.css";
import "./styles/room.css";
import "./styles/messages.css";

const root = document.getElementById("root");
if (root) {
  const signIn = new SignIn();
  void signIn.begin();
  createRoot(root).render(
    <StrictMode>
      <Otherwise otherwise={<p className="boot">This page has failed. Please reload it: nothing you sent is lost.</p>}>
        <App signIn={signIn} />
      </Otherwise>
    </StrictMode>,
  );
}
