"""The engines that are compared: each answers the same question and says when tokens came."""
